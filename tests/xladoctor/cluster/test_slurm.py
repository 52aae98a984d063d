"""A sweep and a survey as jobs of a real Slurm."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.xladoctor.cluster import slurm
from tests.xladoctor.experiments import fake
from tests.xladoctor.fleet.test_survey import HEALTHY, KILLED, write
from xladoctor.cluster.opened import opened
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.fleet import surveying
from xladoctor.fleet.store import Store
from xladoctor.survey import batches
from xladoctor.workers.bench import Bench
from xladoctor.workers.subject import Subject

if find_spec("dask_jobqueue") is None:
    pytest.skip("dask-jobqueue is not installed", allow_module_level=True)

SETTINGS = """
[tool.xladoctor.cluster]
queue = "main"
memory = "500MB"
walltime = "00:05:00"
jobs = 2
folder = "{}"
"""


@pytest.fixture
def place():
    made = Path(tempfile.mkdtemp(prefix="xd-slurm-"))
    yield made
    shutil.rmtree(made, ignore_errors=True)


def test_a_sweep_and_a_survey(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = slurm.missing()
    if missing or os.getuid() != 0:
        why = f"Slurm is not installed: {', '.join(missing)}" if missing else "Slurm's daemons run as root here"
        if os.environ.get("XLADOCTOR_NEEDS_SLURM"):
            pytest.fail(why)
        pytest.skip(f"{why} (Debian: apt-get install slurm-wlm munge)")
    worker, python = tmp_path / "fake_worker.py", tmp_path / "python"
    worker.write_text(fake.WORKER)
    python.write_text(f"#!/bin/sh\nexec {sys.executable} {worker}\n")
    python.chmod(0o755)
    (tmp_path / "pyproject.toml").write_text(SETTINGS.format(tmp_path))
    (tmp_path / "replay").mkdir()
    for number in range(12):
        write(tmp_path / f"logs/slurm-{number}.out", KILLED if number % 4 == 0 else HEALTHY)
    monkeypatch.setattr(surveying, "FEW", 2)
    monkeypatch.setattr(batches, "BATCH", 3)
    subject = Subject("fake:from.21", "callable", str(python), tmp_path, callable="fake:from.21")
    with slurm.running(place) as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        with opened("slurm", here=tmp_path) as cluster:
            assert cluster is not None
            assert slurm.jobs(environment)
            with Bench(subject, tmp_path / "replay", jobs=4, executor=cluster.executor) as bench:
                found = sweep(bench, Asked(tuple(range(1, 41)), exhaustive=True, by_row=True))
                assert len(bench.places) == 1
            store = Store(tmp_path / "s.sqlite", "rules")
            fleet = surveying.survey([tmp_path / "logs"], store, now=1e9, jobs=2, executor=lambda: cluster.executor)
    assert found.complete
    assert [o.case.batch for o in found.outcomes if o.bad] == list(range(21, 41))
    assert (fleet.verdicts["failed"], fleet.verdicts["healthy"], fleet.unreadable) == (3, 9, 0)
