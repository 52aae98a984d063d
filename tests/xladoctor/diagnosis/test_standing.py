"""A built-in contract is knowledge about one version of one project: what speaks against it, and when it is a root."""

from __future__ import annotations

from typing import Any

from tests.xladoctor.diagnosis.test_broken_quietly import diagnosed
from tests.xladoctor.recordings import SHIFT, Run
from xladoctor.experiments.judge import judged
from xladoctor.model.replay import Case, Outcome

PATCHES = "image (B M M 1), positions (B 1 2 C) -> (B N N C)"
FAILED = {"state": "exited", "code": 1, "probes": "recorded"}
PLACE = "gears.ops:shift"


def failing(contract: str, shapes: dict[str, Any], op: dict[str, Any], **found: str) -> Run:
    """A `fit` that failed at `op`; before it a place took and gave tensors of these shapes at run time."""
    run = Run(outcome=FAILED)
    run.found(PLACE, contract, **found)
    run.begin(1)
    run.trace("7-1-step")
    given = {name: [None] * len(shape) for name, shape in shapes.items() if name != "result"}
    events = run.place(PLACE, contract, given, [[None] * len(shapes["result"])])
    message = f"Only one input size may be -1, not both, in {op['op']}"
    run.event("failure", failure=1, exception="InvalidArgumentError", message=message, state="raised", during="fit",
              capsule="7-1-step", frames=[])  # fmt: skip
    run.event("failure", failure=1, exception="InvalidArgumentError", message=message, state="uncaught")
    run.end(1, "7-1-step", phase="failed")
    run.shapes("7-1-step", events, shapes)
    result = {"node": "late/op", "inner_node": "op", "path": [], "order": [99], "message": message, "kind": "x", **op}
    run.worker.append({"capsule": "7-1-step", "request": "failing_op", "batch": 4, "result": result})
    return run


def op(name: str, *shapes: list[int]) -> dict[str, Any]:
    return {"op": name, "inputs": [{"shape": shape, "value": None} for shape in shapes]}


LOST = {"x": [8, 5], "k": [8], "result": [1, 5]}


def test_a_wrong_size_that_reaches_the_failing_op_is_the_root(tmp_path):
    found = diagnosed(failing(SHIFT, LOST, op("Mul", [32, 5], [4, 5])), tmp_path)
    assert (found.root.slug, found.root.level) == ("contract-violation", "error")


def test_a_wrong_size_that_does_not_reach_it_is_a_note(tmp_path):
    found = diagnosed(failing(SHIFT, LOST, op("MatMul", [8, 3], [5, 7])), tmp_path)
    (broken,) = [f for f in found.findings if f.slug == "contract-violation"]
    assert (broken.level, broken.role, broken.status) == ("note", "consequence", "untested")
    assert found.root.slug != "contract-violation"
    own = diagnosed(failing(SHIFT, LOST, op("MatMul", [8, 3], [5, 7]), origin="pyproject.toml"), tmp_path / "own")
    assert own.root.slug == "contract-violation", "a promise of the user's own binds"


def test_the_same_elements_in_another_layout_break_nothing(tmp_path):
    shapes = {"image": [8, 9, 9, 1], "positions": [8, 1, 2, 4], "result": [32, 6, 6, 1]}
    found = diagnosed(failing(PATCHES, shapes, op("Mul", [32, 5], [8, 5])), tmp_path)
    assert [f.slug for f in found.findings if f.slug == "contract-violation"] == []


def outcome(rows: int, place: str | None, promised: bool = False, state: str = "passed") -> Outcome:
    return Outcome(Case(rows), state, place=place, promised=promised, rows_in=rows)


def test_what_every_size_breaks_is_no_silent_failure_in_a_sweep():
    other = [outcome(4, "p: wrong"), outcome(8, "p: wrong"), outcome(9, "p: wrong", state="failed")]
    assert [o.state for o in judged(other, None)] == ["passed", "passed", "failed"]
    assert [o.state for o in judged([*other, outcome(2, None)], None)] == ["silent", "silent", "failed", "passed"]
    assert judged([outcome(4, "p: wrong", promised=True)], None)[0].state == "silent"
