"""What a diagnosis makes of the comparison of compiled functions with plain execution."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.report import json_
from xladoctor.report.checked import summary
from xladoctor.saved import scan_run

NODE = {"op": "GatherV2", "node": "GatherV2", "sources": [["train.py", 9, "lookup"], ["/lib/python3/x.py", 1, "f"]]}
RAISES = {"result": "diverges", "kind": "raises", "error": "InvalidArgumentError", "message": "9 is not in [0, 4)",
          "node": NODE}  # fmt: skip
VALUES = {"result": "diverges", "kind": "values", "output": "output 0", "shapes": [[3], [3]], "deviation": 0.5,
          "plain": ["1"], "xla": ["2"], "node": {**NODE, "op": "Cast", "shapes": [[3], [3]]}}  # fmt: skip
SHAPE = {**VALUES, "kind": "shape", "shapes": [[4], [0]], "deviation": None, "node": None}


def scanned(tmp_path, *results, **run):
    made = Run(**run)
    for n, result in enumerate(results):
        capsule = f"7-{n}-f{n}"
        made.trace(capsule, f"f{n}", f"g{n}", xla=True)
        if isinstance(result, str):
            made.event("first-call", capsule=capsule, kept=False, why=result, bytes=None)
        elif result is not None:
            made.event("first-call", capsule=capsule, kept=True, why=None, bytes=4)
            made.worker.append({"capsule": capsule, "request": "agreement", "result": result})
    return scan_run(made.write(tmp_path / "run"))


@pytest.mark.parametrize(
    ("result", "slug", "op", "words"),
    [
        (RAISES, "parity-divergence", "GatherV2", "9 is not in [0, 4)"),
        (VALUES, "parity-divergence", "Cast", "1 plainly and 2 under XLA"),
        (SHAPE, "wrong-shape-silent", None, "(4,) plainly and (0,) under XLA"),
    ],
)
def test_a_divergence_is_an_error_that_was_tested(tmp_path, result, slug, op, words):
    diagnosis = scanned(tmp_path, {"result": "agrees"}, result)
    [found] = diagnosis.findings
    assert (found.slug, found.level, found.role, found.status, found.op) == (slug, "error", "root", "confirmed", op)
    assert found.basis is not None
    assert found.basis.kind == "tested"
    assert words in found.title
    if op:
        assert str(found.location) == "train.py:9 in lookup"
    assert (diagnosis.verdict, diagnosis.exit_code) == ("failed", 1)


def test_the_same_line_twice_is_one_finding(tmp_path):
    assert len(scanned(tmp_path, RAISES, RAISES).findings) == 1


def test_what_was_not_checked_is_told_with_the_reason(tmp_path):
    diagnosis = scanned(tmp_path, {"result": "agrees"}, {"result": "not-checked", "why": "draws"}, "too large", None)
    assert [(c.function, c.calls, c.result, c.why) for c in diagnosis.checked] == [
        ("f0", 1, "agrees", None),
        ("f1", 0, "not-checked", "draws"),
        ("f2", 0, "not-checked", "too large"),
        ("f3", 0, "not-checked", "no call from outside a graph returned"),
    ]
    assert summary(diagnosis.checked) == (
        "1 compiled function agrees with plain execution; not checked: f1 (draws); f2 (too large); f3 (no call "
        "from outside a graph returned)"
    )
    assert diagnosis.verdict == "healthy"


def test_nothing_checked_is_said(tmp_path):
    assert summary(scanned(tmp_path, "too large").checked) == "nothing could be checked: f0 (too large)"


def ended(tmp_path, exception, message, user, capsule=None):
    """What is said of a run that an exception ended, and in which a compiled function gives another shape."""
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.trace("7-0-f", "f", "g", xla=True)
    run.event("first-call", capsule="7-0-f", kept=True, why=None, bytes=4)
    run.worker.append({"capsule": "7-0-f", "request": "agreement", "result": SHAPE})
    frames = [{"file": "train.py" if user else "/lib/python3/a.py", "line": 8, "function": "main", "user": user}]
    run.event("failure", failure=1, exception=exception, message=message, state="raised", during="program",
              frames=frames, module="builtins", capsule=capsule, chain=[])  # fmt: skip
    run.event("failure", failure=1, exception=exception, state="uncaught")
    return scan_run(run.write(tmp_path / "run"))


@pytest.mark.parametrize(
    ("message", "role"), [("fast path gave (0,), reference (4,)", "consequence"), ("wrong result", "root")]
)
@pytest.mark.parametrize(("exception", "user"), [("RuntimeError", True), ("AssertionError", False)])
def test_what_the_program_itself_found_wrong_comes_after_what_was_tested(tmp_path, message, role, exception, user):
    diagnosis = ended(tmp_path, exception, message, user)
    assert [(f.slug, f.role, f.status) for f in diagnosis.findings] == [
        ("wrong-shape-silent", "root", "confirmed"),
        ("not-xla", role, "untested"),
    ]
    assert [c.result for c in diagnosis.checked] == ["diverges"] and "No error was raised" not in diagnosis.root.message


def test_a_run_that_a_library_ended_has_no_checks(tmp_path):
    assert ended(tmp_path / "library", "RuntimeError", "no such thing", user=False).checked == ()
    assert ended(tmp_path / "call", "RuntimeError", "no such thing", user=True, capsule="7-0-f").checked == ()


def test_it_goes_through_json(tmp_path):
    diagnosis = scanned(tmp_path, RAISES, {"result": "agrees"})
    assert json_.from_json(json_.render(diagnosis)).checked == diagnosis.checked


@pytest.mark.parametrize("wrong", [{"result": 3}, {"result": "diverges", "node": "GatherV2"}, "agrees"])
def test_a_strangers_answer_is_no_finding(tmp_path, wrong):
    made = Run()
    made.trace("7-0-f", "f", xla=True)
    made.worker.append({"capsule": "7-0-f", "request": "agreement", "result": wrong})
    assert [f for f in scan_run(made.write(tmp_path / "run")).findings if f.level == "error"] == []


@pytest.mark.parametrize(("call", "words"), [(2, "its 2nd call"), (12, "its 12th call"), (32, "its 32nd call")])
def test_what_later_calls_give_is_told_with_the_first(tmp_path, call, words):
    made = Run()
    for n, later in enumerate(({"result": "agrees", "calls": 3}, {**RAISES, "calls": 2, "call": call})):
        made.trace(f"7-{n}-f{n}", f"f{n}", f"g{n}", xla=True)
        made.event("first-call", capsule=f"7-{n}-f{n}", kept=True, why=None, bytes=4)
        made.worker.append({"capsule": f"7-{n}-f{n}", "request": "agreement", "result": {"result": "agrees"}})
        made.worker.append({"capsule": f"7-{n}-f{n}", "request": "agreement", "later": True, "result": later})
    diagnosis = scan_run(made.write(tmp_path / "run"))
    assert [(c.result, c.calls) for c in diagnosis.checked] == [("agrees", 4), ("diverges", 3)]
    assert words in diagnosis.findings[0].message


def test_functions_that_were_compiled_in_parts_are_checks_too(tmp_path):
    made = Run()
    made.trace("7-0-f", "f", "g0")
    made.trace("7-1-g", "g", "g1")
    made.worker.append({"capsule": "7-0-f", "request": "agreement", "result": {"result": "agrees", "clustered": True}})
    diagnosis = scan_run(made.write(tmp_path / "run"))
    assert [(c.function, c.result) for c in diagnosis.checked] == [("f", "agrees")]


def test_an_op_that_could_not_be_asked_alone_is_no_first_one(tmp_path):
    node = {**NODE, "op": "TensorListReserve", "shapes": [None, None], "exact": False}
    [found] = scanned(tmp_path, {**SHAPE, "node": node}).findings
    assert str(found.location) == "train.py:9 in lookup"
    assert "No op could be shown to do so alone" in found.message


def test_a_decision_that_rounding_makes_is_a_warning_at_its_line(tmp_path):
    tie = {"result": "agrees", "rounding": True, "output": "output 0", "plain": ["1"], "xla": ["2"], "deviation": 0.5,
           "tie": {**NODE, "op": "Greater", "node": "Greater"}}  # fmt: skip
    diagnosis = scanned(tmp_path, tie, tie)
    [found] = diagnosis.findings
    assert (found.slug, found.level, found.status, found.op) == ("parity-divergence", "warning", "confirmed", "Greater")
    assert str(found.location) == "train.py:9 in lookup" and "differ only in their last places" in found.message
    assert [(c.function, c.result) for c in diagnosis.checked] == [("f0", "diverges"), ("f1", "diverges")]
    assert (diagnosis.verdict, diagnosis.exit_code) == ("warnings", 0)


def test_a_number_that_xla_takes_for_zero_is_a_warning_that_says_so(tmp_path):
    tie = {"result": "agrees", "rounding": True, "output": "output 0", "plain": ["-92"], "xla": ["-inf"],
           "deviation": 1.0, "tie": {**NODE, "op": "Log", "node": "Log", "flushed": True}}  # fmt: skip
    [found] = scanned(tmp_path, tie).findings
    assert (found.level, found.op, found.title) == ("warning", "Log", "f0: Log gets zeros for tiny numbers under XLA")
    assert "below the smallest normal one" in found.message and "smallest normal" in found.remedies[0].title


def test_what_makes_the_value_that_plain_execution_refuses_is_the_first_op(tmp_path):
    before = {**NODE, "op": "Cast", "node": "Cast", "sources": [["train.py", 7, "lookup"]]}
    [found] = scanned(tmp_path, {**RAISES, "before": before}).findings
    assert (found.op, str(found.location)) == ("Cast", "train.py:7 in lookup")
    assert "is refused by GatherV2, train.py:9 in lookup." in found.message
    assert "that raises" not in found.message


def test_a_divergence_names_what_the_atlas_knows_of_its_op(tmp_path):
    [found] = scanned(tmp_path, RAISES).findings
    assert "GatherV2 is known for it: with an index" in found.message and "xladoctor explain GatherV2" in found.message
    assert {entry["kind"] for entry in found.details["atlas"]} == {"first-raises"}


LOOKS = """\
import tensorflow as tf


@tf.function(jit_compile=True)
def screen(x):
    top = tf.reduce_max(tf.abs(x), axis=1)
    fine = tf.reduce_all(tf.math.is_finite({}), axis=1)
    return top, {}
"""
NAN = {**VALUES, "plain": ["nan", "nan"], "xla": ["3", "4"],
       "node": {"op": "Max", "node": "Max", "sources": [["/w/train.py", 6, "screen"]]}}  # fmt: skip


class Sources:
    """The text of the one file."""

    scripts = (Path("/w/train.py"),)
    cwd = Path("/w")

    def __init__(self, source: str) -> None:
        self.source = source

    def text(self, file, followed=False):
        return (self.source if str(file) == "/w/train.py" else None), ""


@pytest.mark.parametrize(
    ("asked", "given", "told", "level"),
    [
        ("x", "fine", NAN, "note"),
        ("x", "tf.logical_and(fine, top < 4)", NAN, "note"),
        ("x", "tf.where(fine, top, 0.0)", NAN, "error"),
        ("top", "fine", NAN, "error"),
        ("other", "fine", NAN, "error"),
        ("x", "fine", {**NAN, "plain": ["nan", "2"]}, "error"),
    ],
)
def test_nan_that_is_lost_beside_an_answer_where_it_was_is_a_note(tmp_path, monkeypatch, asked, given, told, level):
    monkeypatch.setattr(
        "xladoctor.recording.user_sources.UserSources.of", lambda folder: Sources(LOOKS.format(asked, given))
    )
    [found] = scanned(tmp_path, told).findings
    assert found.level == level and ("Line 7 asks" in found.message) == (level == "note")
