"""A capsule from elsewhere is a program of somebody else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from xladoctor.replay.model import Case

pytestmark = pytest.mark.slow


def test_is_refused_by_name_and_never_runs_what_may_not_run(tmp_path):
    from tests.probes.graph import patients
    from xladoctor.replay.bench import Bench
    from xladoctor.replay.parity import parity
    from xladoctor.replay.subject import find

    written = tmp_path / "written"
    folder, _ = patients.capsule(tmp_path / "capsule", *patients.touches_files(str(written)), specs="open")
    for name in ("replay", "trusted"):
        (tmp_path / name).mkdir()
    foreign = find(str(folder), None)
    assert foreign.foreign
    with Bench(foreign, tmp_path / "replay") as bench:
        for question, more in (
            ("attempt", {"way": "plain"}),
            ("parity", {"what": "ways"}),
            ("remedy", {"way": "plain", "apply": {"kind": "as-is"}}),
            ("lowered_for", {"platform": "cpu"}),
        ):
            answer = bench.ask(question, Case(None), **more)
            assert (answer.state, answer.kind) == ("refused", "Refused"), question
            assert "op WriteFile (node" in (answer.message or "")
        told = parity(bench, Case(None))
        assert told.agreements == () and "WriteFile" in told.not_comparable[0]
    with Bench(replace(foreign, foreign=False), tmp_path / "trusted") as bench:
        assert bench.ask("attempt", Case(None), way="plain").result["outcome"] == "passed"
    assert not written.exists()
