"""The steps of a study on a cluster: the sizes are tried there, and only what the study names travels."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.xladoctor.experiments import fake
from tests.xladoctor.workers.test_remote import Here
from xladoctor.cluster.opened import Cluster
from xladoctor.model.preflight import Batches
from xladoctor.preflight import cache
from xladoctor.preflight.run import Options, checked, preflight
from xladoctor.preflight.situation import Situation
from xladoctor.preflight.study import Phase, Study
from xladoctor.workers import remote


@pytest.fixture(autouse=True)
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.setattr(remote, "_process", None)
    monkeypatch.setenv("MY_SECRET", "Zq1secret")
    monkeypatch.chdir(tmp_path)


def study(step: str, samples: int, size: int) -> Study:
    phase = Phase(Batches("train", samples, size, "the test"), f"fake:{step}")
    return Study(name=step, phases=(phase,), python=sys.executable, environment={"SWITCH": "on"})


def test_the_sizes_are_tried_there(tmp_path: Path) -> None:
    here, answers = Here(), {}
    for name, elsewhere in (("here", None), ("there", Cluster(here, 4))):
        folder = tmp_path / name
        folder.mkdir()
        with Situation(
            study("from.30", 70, 32), folder, None, 60.0, lambda text: None, elsewhere=elsewhere
        ) as situation:
            [check] = checked(situation, ["sizes"])
            answers[name] = (check.state, check.message, check.details)
            assert bool(situation.places) == (elsewhere is not None)
    assert answers["there"] == answers["here"] and answers["here"][0] == "fail"
    questions = [question for question, _ in here.sent]
    assert {question["asked"]["batch"] for question in questions} == {32, 6}
    assert all(question["environment"] == [["SWITCH", "on"]] for question in questions)
    assert "Zq1secret" not in json.dumps(questions) and "Zq1secret" in os.environ["MY_SECRET"]


def test_an_answer_of_another_place_is_not_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_FOLDER", tmp_path / "kept")
    here, told = Here(), study("pass", 64, 32)
    options = Options(only=("sizes",), timeout=60.0)
    assert preflight(told, options).checks[0].state == "pass" and here.sent == []
    there = preflight(told, Options(only=("sizes",), timeout=60.0, on="dask:x"), elsewhere=Cluster(here, 2))
    assert here.sent and there.checks[0].state == "pass"
