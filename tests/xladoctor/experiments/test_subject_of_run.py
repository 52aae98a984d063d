"""Which capsule of a run is replayed, and what is said where there is none."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.errors import XladoctorError
from xladoctor.workers.subject import find


def test_a_function_in_which_nothing_is_watched_can_be_replayed(tmp_path):
    run = Run()
    run.trace("7-1-step", name="step")
    assert find(str(run.write(tmp_path / "run")), None).folder.name == "7-1-step"


@pytest.mark.parametrize(("traced", "why"), [(False, "no function was traced in it"), (True, "functions were traced")])
def test_what_was_traced_is_not_denied(tmp_path, traced, why):
    run = Run()
    if traced:
        run.trace("7-1-step", name="step")
        run.capsules["7-1-step"]["complete"] = False
    with pytest.raises(XladoctorError, match=why):
        find(str(run.write(tmp_path / "run")), None)


@pytest.mark.parametrize("diverges", [True, False])
def test_what_diverges_comes_first_and_then_what_values_were_kept_of(tmp_path, diverges):
    run = Run()
    run.trace("7-1-parse", name="parse", graph="g1")
    run.trace("7-2-plain", name="plain", graph="g2", xla=True)
    run.trace("7-3-kept", name="kept", graph="g3", xla=True)
    run.event("first-call", capsule="7-3-kept", kept=True, why=None, bytes=4)
    result = {"result": "diverges" if diverges else "agrees", "kind": "values", "output": "output 0"}
    run.worker.append({"capsule": "7-2-plain", "request": "agreement", "result": result})
    assert find(str(run.write(tmp_path / "run")), None).folder.name == ("7-2-plain" if diverges else "7-3-kept")
