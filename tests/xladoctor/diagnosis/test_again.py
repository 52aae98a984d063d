"""What a worker brings about again confirms; what fails with made-up inputs does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.xladoctor.diagnosis.test_weigh import scanned
from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.again import is_evidence, sizes_to_try
from xladoctor.experiments.analyse import sizes_asked
from xladoctor.model.ops import WorkerOp

MATMUL = "Matrix size-incompatible: In[0]: [{rows},3], In[1]: [48,2]"
BATCH = "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [12,3] vs. shape[1] = [12,4]"
NO_MEMORY = "OOM when allocating tensor with shape[2500000,2500000] and type float"
NO_KERNEL = "No registered 'Unique' OpKernel for XLA_CPU_JIT devices compatible with node {{node u}}"


def failed(message: str, *answers: dict[str, Any], data: str = "random", xla: bool = False) -> Run:
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.trace("7-1-step", xla=xla)
    run.capsules["7-1-step"]["xla"] = xla
    for state in ("raised", "uncaught"):
        run.event("failure", failure=1, exception="InvalidArgumentError", message=message, state=state, during="step",
                  module="tensorflow", capsule="7-1-step", frames=[])  # fmt: skip
    run.recipes["7-1-step"] = {"data": data}
    run.worker += [{"capsule": "7-1-step", **answer} for answer in answers]
    return run


def op(rows: int, filled: list[str]) -> dict[str, Any]:
    inputs = [{"shape": [rows, 3], "value": None}, {"shape": [48, 2], "value": None}]
    result = {
        "op": "MatMul",
        "node": "dense/MatMul",
        "inner_node": "MatMul",
        "kind": "InvalidArgumentError",
        "path": [],
        "inputs": inputs,
        "filled": filled,
        "message": MATMUL.format(rows=rows) + "\n\t [[{{node MatMul}}]]",
    }
    return {"request": "failing_op", "batch": rows, "result": result}  # fmt: skip


def test_what_fails_with_made_up_inputs_is_no_finding(tmp_path):
    found = scanned(failed(BATCH, op(32, ["data/0"])), tmp_path)
    assert [f.slug for f in found.findings] == ["concat-pack-mismatch"]
    assert (found.root.status, found.root.basis.kind, found.isolated) == ("untested", "observed", None)


def test_what_fails_with_made_up_sizes_is_no_finding_in_the_same_words_either(tmp_path):
    answer = op(5, ["data/0"])
    answer["result"]["guessed"] = {"data/0": [1]}
    found = scanned(failed(MATMUL.format(rows=5) + " [Op:MatMul]", answer), tmp_path)
    assert (found.root.slug, found.root.status, found.isolated) == ("matmul-conv-mismatch", "untested", None)


@pytest.mark.parametrize(("rows", "filled", "status"), [(5, ["data/0"], "confirmed"), (9, ["data/0"], "untested")])
def test_made_up_values_of_the_recorded_sizes_fail_in_the_recorded_words(tmp_path, rows, filled, status):
    found = scanned(failed(MATMUL.format(rows=5) + " [Op:MatMul]", op(rows, filled)), tmp_path)
    assert (found.root.slug, found.root.status) == ("matmul-conv-mismatch", status)


def test_a_size_that_the_message_names_may_be_the_batch(tmp_path):
    from xladoctor.diagnosis.facts import steps
    from xladoctor.recording.run import read_run

    assert sizes_to_try({"message": MATMUL.format(rows=5)}) == [5, 3, 1, 48]
    (step,) = steps(read_run(failed(MATMUL.format(rows=5)).write(tmp_path / "a")))
    assert sizes_asked(step) == [None, 5, 3, 1, 48]
    (step,) = steps(read_run(failed(MATMUL.format(rows=5), data="exact").write(tmp_path / "b")))
    assert sizes_asked(step) == [None]


STACKED = (
    'Graph execution error:\n\nDetected at node sub defined at (most recent call last):\n  File "a.py", line 22, in f\n'
    "\nIncompatible shapes: [8,1] vs. [32,1]\n\t [[{{node g/sub_7}}]] [Op:__inference_f_927]"
)


def test_lines_of_a_stack_and_names_of_nodes_are_no_sizes():
    assert sizes_to_try({"message": STACKED}) == [8, 1, 32]


@pytest.mark.parametrize(
    ("seen", "evidence"),
    [
        ("Incompatible shapes: [8,16] vs. [32,16]", True),
        ("Incompatible shapes: [32,16] vs. [8,16]", True),
        ("Incompatible shapes: [9,16] vs. [32,16]", False),
        ("Incompatible shapes: [16,8] vs. [16,32]", False),
        ("Incompatible shapes: [8,3] vs. [32,4]", False),
        ("Incompatible shapes: [8] vs. [32,1]", False),
        ("must have the same first dimension, got logits shape [8,9] and labels shape [32]", True),
        ("must have the same first dimension, got logits shape [9,8] and labels shape [32]", False),
        ("no shapes", False),
    ],
)
def test_an_earlier_op_that_meets_the_sizes_of_the_message_is_evidence(seen, evidence):
    op = WorkerOp("AddV2", message=seen, filled=("data/0",))
    assert is_evidence(op, {"message": STACKED}) is evidence
    assert is_evidence(replace(op, guessed={"data/0": (1,)}), {"message": STACKED}) is False


@pytest.mark.parametrize(
    ("message", "of_data"),
    [
        ("Cannot add tensor to the batch\n\t [[{{node IteratorGetNext}}]] [Op:__inference_step_1]", True),
        ("ValueError: not a number\n\t [[{{node PyFunc}}]]\n\t [[IteratorGetNext]] [Op:__inference_step_1]", True),
        ("Incompatible shapes\n\t [[{{node model/add}}]] [Op:__inference_step_1]", False),
    ],
)  # fmt: skip
def test_no_worker_runs_a_step_whose_data_failed(tmp_path, message, of_data):
    from xladoctor import protocol
    from xladoctor.diagnosis.facts import steps
    from xladoctor.experiments.analyse import _answers
    from xladoctor.recording.run import read_run
    from xladoctor.workers.worker import WorkerRefused

    asked = []

    class Refusing:
        def ask(self, request: Any, timeout: float) -> Any:
            asked.append(type(request))
            raise WorkerRefused("no", "no")

    (step,) = steps(read_run(failed(message).write(tmp_path / "run")))
    assert all(answer.error for answer in _answers(Refusing(), step))  # type: ignore[arg-type]
    assert (protocol.requests.FindFailingOp not in asked) is of_data


@pytest.mark.parametrize(
    ("error", "status", "basis"),
    [
        (NO_KERNEL, "confirmed", "tested"),
        ("something else went wrong", "untested", "observed"),
        (None, "untested", "observed"),
    ],
)
def test_what_xla_refuses_again_is_confirmed(tmp_path, error, status, basis):
    told = {"kind": "InvalidArgumentError", "message": error} if error else None
    answer = {"request": "again", "batch": None, "result": {"outcome": "failed" if error else "passed", "error": told}}
    found = scanned(failed(NO_KERNEL, answer, xla=True), tmp_path)
    assert (found.root.slug, found.root.status, found.root.basis.kind) == ("unsupported-op", status, basis)


SORT = "during context [Unknown]: words that no rule knows of the compiler at all"


@pytest.mark.parametrize(
    ("message", "plain", "slug", "status"),
    [
        ("odd words that no rule knows at all", None, "compile-failed", "confirmed"),
        ("odd words that no rule knows at all", {"op": "MatMul"}, "not-xla", "untested"),
        ("other odd words of another failure", None, "not-xla", "untested"),
        (SORT, None, "xla-internal-ret-check", "confirmed"),
    ],
)
def test_what_fails_under_xla_alone_is_a_failure_of_the_compiler(tmp_path, message, plain, slug, status):
    said = SORT if message == SORT else "odd words that no rule knows at all"
    plainly = None if plain is None else op(5, ["data/0"])["result"]
    again = {"outcome": "failed", "error": {"kind": "InternalError", "message": message}, "way": "xla", "filled": []}
    found = scanned(
        failed(said, {"request": "failing_op", "batch": None, "result": plainly},
               {"request": "again", "batch": None, "result": again}, xla=True),
        tmp_path,
    )  # fmt: skip
    assert (found.root.slug, found.root.status) == (slug, status)


@pytest.mark.parametrize(
    ("said", "kind", "filled", "status"),
    [
        (NO_MEMORY, "ResourceExhaustedError", [], "confirmed"),
        (NO_MEMORY, "ResourceExhaustedError", ["w"], "untested"),
        ("the tensor is not what it was", "InvalidArgumentError", [], "untested"),
    ],
)  # fmt: skip
def test_a_failure_that_is_about_no_shape_is_confirmed_by_a_failure_of_its_class(tmp_path, said, kind, filled, status):
    """Under XLA the words are others than without it; the class, and the values of the run, are the same."""
    result = {"op": "MatrixDiagV3", "node": "diag", "inner_node": "diag", "kind": kind, "path": [], "inputs": [],
              "filled": filled, "message": f"{said}\n\t [[{{{{node diag}}}}]]",
              "sources": [["/home/a/fit.py", 28, "fit"]]}  # fmt: skip
    run = failed("Out of memory while trying to allocate 22.74TiB.", xla=True)
    run.worker.append({"capsule": "7-1-step", "request": "failing_op", "batch": None, "result": result})
    found = scanned(run, tmp_path)
    assert (found.root.slug, found.root.status) == ("oom", status)
    at = str(found.root.location) if found.root.location else None
    assert (found.root.op, at) == (
        ("MatrixDiagV3", "/home/a/fit.py:28 in fit") if status == "confirmed" else (None, None)
    )
