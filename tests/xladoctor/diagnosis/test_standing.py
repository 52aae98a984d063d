"""A built-in contract is knowledge about one version of one project: what speaks against it, and when it is a root."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.xladoctor.diagnosis.test_broken_quietly import diagnosed
from tests.xladoctor.recordings import SHIFT, Run
from xladoctor.experiments.judge import judged
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.model.replay import Case, Outcome
from xladoctor.saved import scan_run

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


MESSAGE = "Matrix size-incompatible: In[0]: [6,8], In[1]: [32,6]\n\t [[{{node warp/MatMul}}]] [Op:__inference_step_1]"
WARP = "images (K H W D), offsets (K 2) -> (K H W D)"


def failing_inside(**found: str) -> Run:
    """A `fit` that failed at an op within a place, which was given offsets for 8 of its 32 images."""
    run = Run(outcome=FAILED)
    run.found(PLACE, WARP, **found)
    run.begin(1)
    run.trace("7-1-step")
    given = {"images": [32, 6, 6, 2], "offsets": [8, 2]}
    entered, _ = run.place(PLACE, WARP, given, [])
    run.events.pop()
    run.event("failure", failure=1, exception="InvalidArgumentError", message=MESSAGE, state="raised", during="fit",
              capsule="7-1-step", frames=[])  # fmt: skip
    run.event("failure", failure=1, exception="InvalidArgumentError", message=MESSAGE, state="uncaught")
    run.end(1, "7-1-step", phase="failed")
    run.shapes("7-1-step", (entered,), given)
    result = {"node": "warp/MatMul", "inner_node": "MatMul", "path": ["warp"], "order": [99], "message": MESSAGE,
              "kind": "InvalidArgumentError", **op("MatMul", [6, 8], [32, 6])}  # fmt: skip
    run.worker.append({"capsule": "7-1-step", "request": "failing_op", "batch": 4, "result": result})
    return run


def scanned(run: Run, folder: Path) -> Diagnosis:
    written = run.write(folder / "run")
    head = 'Traceback (most recent call last):\n  File "train.py", line 9, in <module>\n    fit()\n'
    error = f"{head}tensorflow.python.framework.errors_impl.InvalidArgumentError: {MESSAGE}\n"
    (written / "stderr.log").write_text(error)
    return scan_run(written)


def test_an_argument_of_the_call_that_failed_stands_below_the_op_that_was_tested(tmp_path):
    found = scanned(failing_inside(), tmp_path)
    assert (found.root.slug, found.root.status) == ("matmul-conv-mismatch", "confirmed")
    assert any("offsets is (8 2)" in proof.text for proof in found.root.evidence), "why stands with it"
    assert "contract-violation" not in [f.slug for f in found.findings]
    own = scanned(failing_inside(origin="pyproject.toml"), tmp_path / "own")
    assert own.root.slug == "contract-violation", "a promise of the user's own binds"
