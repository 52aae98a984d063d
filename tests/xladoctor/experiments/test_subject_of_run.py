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
