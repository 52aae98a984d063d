"""A switch governs where its read lies on the way to the decision and agrees with it, and a rehearsal agrees."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.facts import steps
from xladoctor.diagnosis.governing import asked_by, governing
from xladoctor.diagnosis.hypotheses import CLAIMS
from xladoctor.recording.run import read_run

KNOB = "ptycho.tf_helper:should_use_xla"


def at(function: str, line: int = 5) -> dict[str, Any]:
    return {"file": "tf_helper.py", "line": line, "function": function}


def setting(run: Run, store: str, key: str, action: str, value: Any, where: dict[str, Any]) -> int:
    return run.event("setting", store=store, key=key, action=action, value=value, where=where)


def decided(value: bool, decision: bool, asker: str = "call") -> Run:
    run = Run()
    setting(run, "params.cfg", "use_xla_translate", "read", value, at("should_use_xla"))
    setting(run, "env", "USE_XLA_TRANSLATE", "read", None, at("should_use_xla"))
    setting(run, "decision", KNOB, "read", decision, at(asker, 40))
    run.event("trace", function="__inference_warp_1", python_name="warp", graph="g1", parent=None, capsule="7-1-warp",
              xla=True, where=None, frames=[at("call", 40)])  # fmt: skip
    return run


def governed(run: Run, folder, same: bool | None = None) -> tuple[str, ...]:
    path = run.write(folder / "run")
    if same is not None:
        flip = {
            "name": "use_xla_translate", "store": "params.cfg", "key": "use_xla_translate", "value": True,
            "other": False, "functions": [{"function": "warp", "capsule": "c", "step": True, "same": same,
                           "nodes": [9, 9], "compiled": [1, 1]}],
        }  # fmt: skip
        (path / "flips.json").write_text(json.dumps({"flips": [flip]}))
    recording = read_run(path)
    return governing(recording, list(recording.of_kind("trace")))


def test_the_switch_and_the_line_of_the_decision(tmp_path):
    run = decided(True, True)
    assert governed(run, tmp_path) == (
        "params.cfg use_xla_translate = True", "env USE_XLA_TRANSLATE unset", f"{KNOB}() = True, tf_helper.py:40",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("value", "decision", "asker", "same"),
    [
        (False, True, "call", None),
        (True, False, "call", None),
        (True, True, "elsewhere", None),
        (True, True, "call", True),
    ],
)
def test_what_decides_nothing_governs_nothing(tmp_path, value, decision, asker, same):
    run = decided(value, decision, asker)
    assert "use_xla_translate" not in str(governed(run, tmp_path, same))


@pytest.mark.parametrize(
    ("value", "requested", "shown"), [("1", "True", True), (True, "True", True), (False, "True", False),
                                      (False, "'auto'", False), ("0", "False", True)],
)  # fmt: skip
def test_a_call_hands_on_what_was_read_for_it(tmp_path, value, requested, shown):
    run = Run()
    setting(run, "params.cfg", "use_xla_compile", "read", value, at("build"))
    run.event("xla-path", mechanism="keras compile", requested=requested, resolved="True", where=at("build", 9))
    recording = read_run(run.write(tmp_path / "run"))
    assert bool(asked_by(recording, recording.of_kind("xla-path")[0])) is shown


@pytest.mark.parametrize(("undone", "verdict"), [(True, "refuted"), (False, "confirmed")])
def test_a_late_write_that_was_undone_before_anything_was_traced_is_no_cause(tmp_path, undone, verdict):
    run = Run()
    setting(run, "params.cfg", "use_xla_translate", "default", True, at("<module>"))
    setting(run, "params.cfg", "use_xla_translate", "read", True, at("should_use_xla"))
    setting(run, "params.cfg", "use_xla_translate", "write", False, at("build"))
    if undone:
        setting(run, "params.cfg", "use_xla_translate", "write", True, at("build"))
    run.trace("7-1-step")
    run.event("failure", failure=1, exception="ValueError", message="no", state="raised", capsule="7-1-step", frames=[])
    (step,) = steps(read_run(run.write(tmp_path / "run")))
    late = next(c for c in CLAIMS if c.id == "H2").test(step)
    assert late is not None and late[0] == verdict
