"""A try elsewhere: what travels, a capsule that is sent once to each process, and a cluster that loses work."""

from __future__ import annotations

import json
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

import pytest

from tests.xladoctor.experiments import fake
from xladoctor.errors import XladoctorError
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers import remote
from xladoctor.workers.bench import Bench
from xladoctor.workers.elsewhere import LOST, differences
from xladoctor.workers.remote import Where
from xladoctor.workers.subject import Subject


class Here(Executor):
    """Works at once, in this process, with what dask would send; loses the first tasks."""

    def __init__(self, lose: int = 0) -> None:
        self.sent: list[tuple[Any, ...]] = []
        self._lose = lose

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        from xladoctor.cluster.on_dask import LostWork

        self.sent.append(args)
        future: Future[Any] = Future()
        if self._lose:
            self._lose -= 1
            future.set_exception(LostWork("gone"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


@pytest.fixture(autouse=True)
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake.probes(tmp_path, monkeypatch)
    monkeypatch.setattr(remote, "_process", None)


def capsule(folder: Path) -> Subject:
    folder.mkdir()
    (folder / "capsule.json").write_text("{}")
    (folder / "graph.pb.gz").write_bytes(b"graph")
    (folder / "notes.txt").write_text("of somebody")
    return Subject("c", "capsule", fake.sys.executable, folder.parent, folder=folder)


def test_plain_values_travel_and_no_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "Zq1secret")
    here = Here()
    with fake.make_bench("fake:from.3", tmp_path, executor=here) as bench:
        case = Case(4, (("env:SWITCH", "on"),))
        answer = bench.ask(requests.Call(), case)
        assert answer.ok and answer.result.outcome == "failed"
        bench.ask(requests.Call(), case)
    [(question, sent)] = here.sent  # the second answer is in the journal
    assert sent is None
    assert question["environment"] == [["SWITCH", "on"]]
    assert "Zq1secret" not in json.dumps(question)  # and JSON can hold it


def test_a_capsule_is_sent_once_to_a_process(tmp_path: Path) -> None:
    here = Here()
    folder = tmp_path / "replay"
    folder.mkdir()
    with Bench(capsule(tmp_path / "capsule"), folder, executor=here) as bench:
        for batch in (1, 2, 3):
            assert bench.ask(requests.TryBatch(), Case(batch)).state == "refused"  # the fake worker knows no such op
    bodies = [sent[1] for _, sent in here.sent]
    assert [body is not None for body in bodies] == [False, True, False, False]
    assert set(bodies[1]) == {"capsule.json", "graph.pb.gz"}
    name, files = remote.contents(tmp_path / "capsule")
    with pytest.raises(ValueError, match="is not the one that was named"):
        remote._Process().capsule(name, {**files, "graph.pb.gz": b"another"})


def test_what_writes_files_is_answered_here(tmp_path: Path) -> None:
    here = Here()
    with fake.make_bench("fake:pass", tmp_path, executor=here) as bench:
        assert bench.capture(Case(4)).ok
    assert here.sent == []


def test_what_the_cluster_loses_is_asked_again_and_given_up_at_last(tmp_path: Path) -> None:
    with fake.make_bench("fake:pass", tmp_path, executor=Here(lose=LOST - 1)) as bench:
        assert bench.ask(requests.Call(), Case(4)).ok
    with (
        fake.make_bench("fake:pass", tmp_path, executor=Here(lose=LOST)) as bench,
        pytest.raises(XladoctorError, match="lost the try of batch 5"),
    ):
        bench.ask(requests.Call(), Case(5))
    with fake.make_bench("fake:pass", tmp_path) as bench:
        assert not bench.ask(requests.Call(), Case(5)).known, "no answer was made up"


def test_tries_in_different_places_are_reported() -> None:
    one, other = Where("A", "tensorflow 2.21", ()), Where("B", "tensorflow 2.21", (("TF_X", "1"),))
    assert differences({one: ["1", "2"]}) == ()
    said = differences({one: ["1", "2", "2"], other: [str(n) for n in range(3, 20)]})
    assert said[1] == "ran on B, tensorflow 2.21, TF_X=1: batch 3, 4, 5, 6, 7, 8, 9, 10 and 9 more"
    assert said[2] == "ran on A, tensorflow 2.21: batch 1, 2"
