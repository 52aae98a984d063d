"""What a worker found of rows, as findings and as what was checked: no program is run."""

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.rows import to_ask
from xladoctor.recording.run import read_run
from xladoctor.saved import scan_run

EXPANDED = {"op": "ExpandDims", "node": "e", "sources": [["train.py", 5, "call"]]}
MEAN = {"op": "Mean", "node": "m", "sources": [["train.py", 5, "call"]]}
LOSS = ["train.py", 12, "loss"]
MODEL = ["train.py", 5, "call"]


def told(kind="outer", **fields):
    return {
        "kind": kind, "op": "Sub", "node": "loss/sub", "sources": [["train.py", 40, "<module>"], LOSS],
        "call_sources": [], "shapes": [[7, 1], [7], [7, 7]], "parts": ["prediction", "data"], "natural": True,
        "comes_out": False, "made": None, "examples": [[[0], [1]]], **fields,
    }  # fmt: skip


def diagnosed(folder, *found, raised=None, **answer):
    run = Run(outcome={"state": "exited", "code": int(raised is not None), "probes": "recorded"})
    if raised is not None:
        frames = [{"file": "train.py", "line": 44, "function": "main", "user": True}]
        run.event("failure", failure=1, exception=raised, message="R2 is low", state="raised", during="program",
                  frames=frames, module="builtins", capsule=None, chain=[])  # fmt: skip
        run.event("failure", failure=1, exception=raised, state="uncaught")
    run.trace("c1", "step")
    run.events[-1]["defined"] = {"file": "train.py", "line": 3, "function": "step"}
    result = {"result": "asked", "found": list(found), **answer}
    run.worker.append({"capsule": "c1", "request": "pairing", "result": result})
    return scan_run(run.write(folder))


@pytest.mark.parametrize(
    ("fields", "level", "slug", "line"),
    [
        ({}, "error", "wrong-pairing", 12),
        ({"parts": ["data", "data"]}, "warning", "wrong-pairing", 12),
        ({"natural": False, "made": EXPANDED}, "warning", "wrong-pairing", 12),
        ({"comes_out": True}, "warning", "wrong-pairing", 12),
        ({"kind": "groups", "made": {"op": "Tile", "node": "t", "sources": [MODEL]}}, "error", "wrong-pairing", 5),
        ({"kind": "lost", "made": MEAN}, "warning", "wrong-shape-silent", 5),
        ({"kind": "lost", "made": {**MEAN, "op": "Reshape"}}, "error", "wrong-shape-silent", 5),
        ({"kind": "lost", "made": MEAN, "node": "step/compile_loss/mse/sub"}, "error", "wrong-shape-silent", 5),
        ({"kind": "segments"}, "warning", "wrong-pairing", 12),
        ({"kind": "fewer", "parts": []}, "warning", "wrong-shape-silent", 12),
        ({"kind": "gathered"}, "warning", "wrong-pairing", 12),
        ({"kind": "normalised"}, "warning", "wrong-pairing", 12),
        ({"kind": "torn", "shapes": [[7, 5, 1], [5, 7, 1]]}, "warning", "wrong-pairing", 12),
    ],
)  # fmt: skip
def test_what_is_told_of_rows_that_meet(tmp_path, fields, level, slug, line):
    finding = diagnosed(tmp_path / "run", told(**fields)).findings[0]
    assert (finding.level, finding.slug, finding.location.line) == (level, slug, line)
    assert finding.message and finding.remedies and finding.basis.kind == "tested"


def test_a_missing_transpose_is_no_more_than_likely(tmp_path):
    finding = diagnosed(tmp_path / "run", told(kind="exchanged", op="Reshape", shapes=[[7, 2, 4], [28, 2]])).findings[0]
    assert (finding.level, finding.slug, finding.status) == ("warning", "wrong-pairing", "untested")
    assert "no element moved" in finding.message and finding.remedies[0].id == "transpose"
    heads = told(kind="exchanged", op="Reshape", shapes=[[7, 4, 30, 12], [7, 30, 48]])
    [finding] = diagnosed(tmp_path / "heads", heads).findings
    assert finding.level == "warning" and "axis 1 now has the size that axis 2 had" in finding.message
    assert "`[0, 2, 1, 3]`" in finding.remedies[0].how


def test_one_op_at_one_line_is_told_once_and_a_healthy_function_is_checked(tmp_path):
    twice = diagnosed(tmp_path / "a", told(), told(node="loss/sub_1"))
    assert len(twice.findings) == 1 and twice.checked[-1].result == "diverges"
    fine = diagnosed(tmp_path / "b")
    assert fine.verdict == "healthy" and [(c.what, c.function, c.result) for c in fine.checked] == [
        ("rows", "step", "agrees")
    ]


def test_it_stands_above_the_programs_own_check(tmp_path):
    found = diagnosed(tmp_path / "run", told(), raised="AssertionError").findings
    assert [(f.slug, f.level) for f in found] == [("wrong-pairing", "error"), ("not-xla", "error")]
    assert "No error was raised" not in found[0].message
    unsure = diagnosed(tmp_path / "unsure", told(comes_out=True), raised="AssertionError").findings
    assert [(f.slug, f.level, f.role) for f in unsure] == [
        ("not-xla", "error", "root"),
        ("wrong-pairing", "warning", "consequence"),
    ]


def test_what_could_not_be_asked_is_said(tmp_path):
    found = diagnosed(tmp_path / "run", result="not-checked", why="its tensors are too many")
    assert [(c.result, c.why) for c in found.checked] == [("not-checked", "its tensors are too many")]
    # Where there are no rows there is nothing to be said of them.
    assert diagnosed(tmp_path / "none", result="no-rows").checked == ()


@pytest.mark.parametrize(
    ("op", "watched", "given", "level"),
    [("Sub", [True, False], False, "warning"), ("Sub", [True, True], False, "warning"),
     ("Sub", [False, False], False, None), ("Sub", [True, False], True, None),
     ("Equal", [False, False], False, "warning"), ("Equal", [False, False], True, None)],
)  # fmt: skip
def test_eager_operands_are_told_where_a_gradient_goes_through_or_they_are_compared(
    tmp_path, op, watched, given, level
):
    run = Run()
    where = {"file": "train.py", "line": 9, "function": "loss"}
    run.event("meeting", op=op, shapes=[[20, 1], [20]], watched=watched, given=given, where=where, frames=[])
    found = scan_run(run.write(tmp_path / "run")).findings
    assert [f.level for f in found] == ([level] if level else [])
    assert not found or (found[0].slug, found[0].location.line, found[0].dims[-1]) == ("wrong-pairing", 9, [20, 20])


def test_an_eager_result_of_a_model_beside_data(tmp_path):
    for predicted, levels in (([False, True], ["warning"]), ([True, True], []), ([False, False], [])):
        run = Run()
        run.event(
            "meeting", op="Sub", shapes=[[20], [20, 1]], watched=[False, False], predicted=predicted, given=False,
            where={"file": "train.py", "line": 9, "function": "score"}, frames=[],
        )  # fmt: skip
        found = scan_run(run.write(tmp_path / f"{predicted}")).findings
        assert [f.level for f in found] == levels
        assert not found or "gradient" not in found[0].message


def test_all_pairs_that_are_a_target_of_predictions(tmp_path):
    for taught, levels in (({"file": "train.py", "line": 12, "function": "step"}, ["warning"]), (None, [])):
        run = Run()
        where = {"file": "train.py", "line": 9, "function": "targets"}
        told = {"op": "Mul", "shapes": [[32], [32, 1]], "watched": [False, False], "predicted": [False, False],
                "given": False, "where": where, "frames": []}  # fmt: skip
        run.event("meeting", **told)
        run.event("meeting", **told, **({"taught": taught} if taught else {}))
        found = scan_run(run.write(tmp_path / f"{taught is None}")).findings
        assert [(f.level, f.location.line) for f in found] == [(level, 9) for level in levels]
        assert not found or "is the target of as many predictions at train.py:12" in found[0].message


def test_the_steps_of_keras_are_named_by_their_call_and_what_it_makes_besides_is_left_out(tmp_path):
    run = Run()
    run.begin(1, "fit", rows=32)
    for number, (name, inputs) in enumerate([("initialize_variables", []), ("one_step_on_iterator", ["resource[]"])]):
        run.trace(f"7-{number}-{name}", name, f"g{number}")
        run.events[-1]["inputs"] = inputs
    run.end(1, "7-1-one_step_on_iterator", "fit", rows=32)
    asked = to_ask(read_run(run.write(tmp_path / "run")))
    assert [(a.capsule, a.name, a.method, a.sizes) for a in asked] == [
        ("7-1-one_step_on_iterator", "fit of gears", "fit", (4,))
    ]
