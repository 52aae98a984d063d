import json

import pytest

from tests.xladoctor.recordings import PID, Run
from xladoctor.experiments.flip import chosen, switches
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run


def function(name="step", same=True, step=True, compiled=(0, 0)):
    return {"function": name, "capsule": "c1", "step": step, "same": same, "compiled": list(compiled), "nodes": [9, 9]}


def flips(tmp_path, *functions, **fields):
    run = Run()
    run.event(
        "setting", store="params.cfg", key="use_xla", action="write", value=True, where={"file": "a.py", "line": 3}
    )
    run.event("setting", store="params.cfg", key="use_xla", action="read", value=True, where=None, site=1)
    folder = run.write(tmp_path / "run")
    row = {"name": "cfg:use_xla", "store": "params.cfg", "key": "use_xla", "value": True, "other": False, "ended": True,
           "functions": list(functions), **fields}  # fmt: skip
    (folder / "flips.json").write_text(json.dumps({"schema": "xladoctor.flips/1", "flips": [row]}))
    return scan_run(folder)


def test_dead_where_every_step_is_the_same(tmp_path):
    found = flips(tmp_path, function("train"), function("predict"))
    assert [(f.slug, f.status, f.location.line) for f in found.findings] == [("dead-switch", "confirmed", 3)]
    assert "changes nothing" in found.findings[0].title


@pytest.mark.parametrize("other", [function("predict", same=False, compiled=(0, 1)), function("predict", same=None)])
def test_not_dead_where_a_step_differs_or_was_not_traced_again(tmp_path, other):
    found = flips(tmp_path, function("train"), other)
    assert not [f for f in found.findings if f.slug == "dead-switch" and f.status == "confirmed"]
    assert any("predict" in note for note in found.notes)


def test_what_it_governs_besides_the_steps_is_told(tmp_path):
    found = flips(tmp_path, function("train"), function("simulate", same=None, step=False))
    assert "govern simulate" in found.findings[0].message


def test_a_rehearsal_that_failed_is_no_proof(tmp_path):
    found = flips(tmp_path, error="the worker ended by SIGKILL", ended=False)
    assert not [f for f in found.findings if f.status == "confirmed"]
    assert any("SIGKILL" in note for note in found.notes)


def test_switches_are_settings_with_two_positions_that_are_about_xla(tmp_path):
    run = Run()
    run.events[0]["environment"] = {"USE_XLA_TRANSLATE": "1", "TF_XLA_FLAGS": "--tf_xla_auto_jit=2", "PTYCHO_X": "1"}
    for key, value in (("use_xla", True), ("N", 64), ("jit_level", "aggressive")):
        run.event("setting", store="params.cfg", key=key, action="write", value=value, where=None)
    run.event("setting", store="env", key="USE_XLA_COMPILE", action="read", value=None, where=None, site=1)
    recording = read_run(run.write(tmp_path / "run"))
    assert recording.pids == [PID]
    found = {s.name: (s.value, s.other) for s in switches(recording)}
    assert found == {
        "cfg:use_xla": (True, False),
        "env:USE_XLA_TRANSLATE": ("1", "0"),
        "env:USE_XLA_COMPILE": (None, "1"),
    }
    # What is not set in this run is tried only when it is named.
    assert "env:USE_XLA_COMPILE" not in [s.name for s in chosen(recording, ["all"])]
    assert [s.name for s in chosen(recording, ["USE_XLA_COMPILE"])] == ["env:USE_XLA_COMPILE"]
    with pytest.raises(Exception, match="no switch of that name"):
        chosen(recording, ["use_xlb"])
