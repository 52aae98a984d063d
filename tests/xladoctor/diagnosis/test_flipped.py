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
    assert "affect simulate" in found.findings[0].message


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


PARTING = {"function": "score", "file": "a.py", "line": 9, "number": 1, "shapes": [[2], [2]], "deviation": 0.5,
           "values": [[1.0], [2.0]], "permuted": False}  # fmt: skip
READING = {"file": "a.py", "line": 1, "uses": [4], "alternatives": [], "claims": None, "passed_on": False}


def numbers(**fields):
    return {"compared": 3, "same": 3, "functions": 2, "parting": None, "alike": False, "printed": None, **fields}


@pytest.mark.parametrize(
    ("reading", "parting", "slug", "line"),
    [
        (None, PARTING, "parity-divergence", 9),
        ({**READING, "claims": "Makes it faster."}, PARTING, "parity-divergence", 4),
        ({**READING, "alternatives": [6]}, PARTING, "parity-divergence", 6),
        (READING, {**PARTING, "permuted": True}, "wrong-pairing", 4),
    ],
)
def test_numbers_that_should_agree_and_do_not(tmp_path, reading, parting, slug, line):
    found = flips(tmp_path, function(same=False), numbers=numbers(parting=parting), reading=reading).findings
    assert [(f.slug, f.level, f.location.line) for f in found] == [(slug, "warning", line)]


def test_a_switch_that_may_change_numbers_is_a_note(tmp_path):
    found = flips(tmp_path, function(same=False), numbers=numbers(parting=PARTING), reading=READING)
    assert not found.findings
    assert any("score gives other numbers" in note for note in found.notes)


def test_the_same_graphs_are_no_proof_where_numbers_differ(tmp_path):
    found = flips(tmp_path, function(), numbers=numbers(printed=["loss 1.0", "loss 2.0"]))
    assert not [f for f in found.findings if f.slug == "dead-switch" and f.status == "confirmed"]


@pytest.mark.parametrize(
    ("alike", "passed_on", "dead"), [(True, False, True), (False, False, False), (True, True, False)]
)
def test_a_switch_of_the_programs_own_is_dead_where_nothing_at_all_differs(tmp_path, alike, passed_on, dead):
    reading = {**READING, "passed_on": passed_on}
    found = flips(tmp_path, numbers=numbers(alike=alike), reading=reading).findings
    assert bool([f for f in found if f.slug == "dead-switch" and f.status == "confirmed"]) is dead


def test_a_configured_value_that_a_default_replaced(tmp_path):
    run = Run()
    folder = run.write(tmp_path / "run")
    one = {"file": "a.py", "line": 12, "text": "c.get(n) or d[n]", "key": "rate", "value": 0.0, "taken": 0.4}
    (folder / "flips.json").write_text(json.dumps({"schema": "xladoctor.flips/1", "flips": [], "defaulted": [one]}))
    found = scan_run(folder).findings
    assert [(f.slug, f.level, f.location.line) for f in found] == [("dead-switch", "warning", 12)]
    assert "rate = 0.0" in found[0].title and "0.4" in found[0].title


@pytest.mark.parametrize(
    ("judged", "level", "words"),
    [
        ({"wrong": 0, "exact": 1e-9}, ["warning"], "loses its digits"),
        ({"wrong": None, "exact": 0.2}, ["warning"], "compute different things"),
        ({"wrong": 1, "exact": 1e-9}, [], "this run is the better one"),
    ],
)
def test_which_position_is_wrong_by_float64(tmp_path, judged, level, words):
    judged = {"function": "score", "lost": [0.1, 1e-7], **judged}
    reading = {**READING, "alternatives": [6]}
    found = flips(tmp_path, function(same=False), numbers=numbers(parting=PARTING, judged=judged), reading=reading)
    assert [f.level for f in found.findings] == level
    assert words in " ".join([*found.notes, *(f.message for f in found.findings)])
