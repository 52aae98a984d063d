"""A claim is confirmed or refuted by evidence that could have said the other; otherwise it is untested."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import Run

ENTRY = "ptycho.custom_layers:ReassemblePatchesLayer.call"
CONTRACT = "patches (B N N C), positions (B 1 2 C) -> (B M M 1)"


def failed(**shapes: Any) -> Run:
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    if shapes:
        run.found(ENTRY, CONTRACT)
        run.place(ENTRY, CONTRACT, shapes, [[2, 64, 64, 1]])
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="ValueError", message="it failed", state=state, during="step",
                  module="builtins", capsule=None, frames=[], chain=[])  # fmt: skip
    return run


def claims(run: Run, tmp_path: Any) -> dict[str, tuple[str, str]]:
    return {h.id: (h.verdict, h.basis.kind) for h in scanned(run, tmp_path).hypotheses}


@pytest.mark.parametrize(
    ("positions", "documented", "flat"),
    [
        ([2, 1, 2, 4], ("confirmed", "observed"), ("refuted", "observed")),
        ([8, 2], ("refuted", "observed"), ("confirmed", "observed")),
        (None, ("untested", "untested"), ("untested", "untested")),
    ],
)
def test_shapes_decide_only_where_they_are_known(tmp_path, positions, documented, flat):
    found = claims(failed(patches=[2, 64, 64, 4], positions=positions), tmp_path)
    assert (found["H3-REVISED"], found["H1-REVISED"]) == (documented, flat)


def setting(run: Run, store: str, key: str, action: str, value: Any) -> None:
    run.event("setting", store=store, key=key, action=action, value=value, where={"file": "a.py", "line": 3})


@pytest.mark.parametrize(
    ("config", "decision", "verdict"),
    [
        (True, False, ("confirmed", "observed")),
        (True, True, ("refuted", "observed")),
        (False, False, ("untested", "untested")),
        (True, None, ("untested", "untested")),
    ],
)
def test_an_environment_that_agrees_overrides_nothing_that_was_tested(tmp_path, config, decision, verdict):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.event("import", module="ptycho", version="1", file="/a/ptycho/__init__.py")
    setting(run, "params.cfg", "use_xla_translate", "read", config)
    setting(run, "env", "USE_XLA_TRANSLATE", "read", "0")
    if decision is not None:
        setting(run, "decision", "ptycho.tf_helper:should_use_xla", "read", decision)
    run.events += [{**e, "seq": e["seq"] + 10} for e in failed().events[1:]]
    assert claims(run, tmp_path)["H4"] == verdict
