"""A capsule from elsewhere is a program of somebody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xladoctor.model.replay import Case
from xladoctor.protocol import requests

pytestmark = pytest.mark.slow


def test_is_refused_by_name_and_never_runs_what_may_not_run(tmp_path):
    from tests.probes.graph import patients
    from xladoctor.experiments.parity import parity
    from xladoctor.workers.bench import Bench
    from xladoctor.workers.subject import find

    written = tmp_path / "written"
    folder, _ = patients.capsule(tmp_path / "capsule", *patients.touches_files(str(written)), specs="open")
    for name in ("replay", "trusted"):
        (tmp_path / name).mkdir()
    foreign = find(str(folder), None)
    assert foreign.foreign
    with Bench(foreign, tmp_path / "replay") as bench:
        for question in (
            requests.TryBatch(way="plain"),
            requests.CompareWays(),
            requests.TryRemedy(apply={"kind": "as-is"}),
            requests.LowerFor(platform="cpu"),
        ):
            answer = bench.ask(question, Case(None))
            assert (answer.state, answer.kind) == ("refused", "Refused"), question
            assert "op WriteFile (node" in (answer.message or "")
        told = parity(bench, Case(None))
        assert told.agreements == () and "WriteFile" in told.not_comparable[0]
    with Bench(replace(foreign, foreign=False), tmp_path / "trusted") as bench:
        assert bench.ask(requests.TryBatch(way="plain"), Case(None)).result.outcome == "passed"
    assert not written.exists()


def test_a_capsule_that_was_changed_after_the_doctor_looked_at_it_is_not_loaded(tmp_path, monkeypatch):
    """And a relative PYTHONPATH, or a link in the place of a file, brings nothing in from beside it."""
    import os
    import sys

    from tests.probes.graph import patients
    from xladoctor.recording import mark
    from xladoctor.recording.schema import probes_dir
    from xladoctor.workers.worker import Worker, WorkerRefused

    run = tmp_path / "run"
    (run / "capsules").mkdir(parents=True)
    folder, _ = patients.capsule(run / "capsules" / "7-1-step", *patients.touches_files("x"), specs="open")
    (run / "numpy.py").write_text("open(__file__ + '.ran', 'w')\n")
    monkeypatch.chdir(run)
    mark.sign(run)
    seal = mark.seal(run, folder.name, mark.listed(run))
    assert seal is not None
    with Worker(sys.executable, probes_dir(), {**os.environ, "PYTHONPATH": "."}, None, tmp_path / "log") as worker:
        assert worker.request("load", capsule=str(folder), seal=seal, batch=None)["unsafe_ops"]
        recorded = (folder / "capsule.json").read_text()
        (folder / "capsule.json").write_text(recorded + " ")
        with pytest.raises(WorkerRefused, match="was changed after the doctor looked at it"):
            worker.request("load", capsule=str(folder), seal=seal, batch=3)
        (folder / "capsule.json").unlink()
        (tmp_path / "elsewhere").write_text(recorded)
        (folder / "capsule.json").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(WorkerRefused, match="links are not followed"):
            worker.request("load", capsule=str(folder), batch=4)
        (folder / "capsule.json").unlink()
        os.mkfifo(folder / "capsule.json")
        with pytest.raises(WorkerRefused, match="no regular file"):
            worker.request("load", capsule=str(folder), batch=5, timeout=60)
    assert not (run / "numpy.py.ran").exists()
