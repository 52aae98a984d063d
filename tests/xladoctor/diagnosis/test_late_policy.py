"""A dtype policy of Keras that is set when the layers have been made."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.saved import scan_run

WHERE = {"file": "train.py", "line": 6, "function": "<module>"}


def sets(run: Run, value: str, key: str = "dtype_policy") -> None:
    run.event("setting", store="keras", key=key, action="write", value=value, where=WHERE)


def waits(run: Run, value: str, *, taken: bool) -> None:
    """It was set, and recorded whether a layer was made afterwards."""
    run.event("setting", store="keras", key="dtype_policy", action="write", value=value, where=WHERE, waits=True)
    if taken:
        run.event("policy-taken")


def fits(run: Run, *policies: str) -> None:
    run.begin(1)
    run.events[-1]["policies"] = list(policies)
    run.end(1, "7-1-step")


def builds(run: Run) -> None:
    run.event("model", action="build", name="model", where=WHERE, policies=["float32"])


LATE = {
    "late": lambda run: (builds(run), sets(run, "mixed_float16"), fits(run, "float32")),
    "late float type": lambda run: (builds(run), sets(run, "float64", "floatx"), fits(run, "float32")),
}
LATE["no layer took it"] = lambda run: (builds(run), waits(run, "float64", taken=False))
IN_TIME = {
    "a layer took it": lambda run: (builds(run), waits(run, "float64", taken=True)),
    "in time": lambda run: (sets(run, "mixed_float16"), builds(run), fits(run, "float32", "mixed_float16")),
    "put back": lambda run: (
        sets(run, "mixed_float16"), builds(run), sets(run, "float32"), fits(run, "mixed_float16")
    ),
    "for a model that is made afterwards": lambda run: (
        builds(run), sets(run, "mixed_float16"), builds(run), fits(run, "float32")
    ),
    "with a policy of its own beside": lambda run: (
        sets(run, "float64", "floatx"), sets(run, "float32"), builds(run), fits(run, "float32")
    ),
    "nothing ran": lambda run: (builds(run), sets(run, "mixed_float16")),
    "not known": lambda run: (builds(run), sets(run, "mixed_float16"), fits(run)),
}  # fmt: skip


@pytest.mark.parametrize("name", [*LATE, *IN_TIME])
def test_what_is_set_after_the_layers(tmp_path, name):
    run = Run()
    (LATE | IN_TIME)[name](run)
    found = scan_run(run.write(tmp_path / "run")).findings
    assert [(f.slug, f.level, str(f.location)) for f in found] == (
        [("setting-too-late", "warning", "train.py:6 in <module>")] if name in LATE else []
    )
    assert all("use float32" in f.message for f in found)


@pytest.mark.parametrize(("frames", "slug"), [([True], "setting-too-late"), ([True, False], "not-xla")])
def test_a_policy_that_the_program_misses_is_the_likely_cause_of_its_own_error(tmp_path, frames, slug):
    """No model ran: a check of the program's own ended the run."""
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    builds(run)
    sets(run, "mixed_float16")
    at = [{"file": f"f{n}.py", "line": 9, "function": "main", "user": user} for n, user in enumerate(frames)]
    run.event("failure", failure=1, exception="RuntimeError", message="a layer computes in float32", state="raised",
              during="program", frames=at, module="builtins", capsule=None, chain=[])  # fmt: skip
    run.event("failure", failure=1, exception="RuntimeError", state="uncaught")
    root = scan_run(run.write(tmp_path / "run")).root
    assert (root.slug, root.level, root.status) == (slug, "error", "untested")
