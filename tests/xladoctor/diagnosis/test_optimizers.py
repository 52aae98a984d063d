"""A graph optimizer is named only where a worker, with all of them on, met the failure of the run."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis.optimizers import asks
from xladoctor.model.ops import WorkerOp
from xladoctor.saved import scan_run

TEXT = "Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]"
SAYS = f"Graph execution error:\n\n{TEXT}\n\t [[{{{{node net/Relu}}}}]] [Op:__inference_step_29]"
CAPSULE = "7-0-step"
EVERY = {"outcome": "failed", "nodes": ["net/Relu"], "kind": "InvalidArgumentError", "message": TEXT}
OTHERWISE = {**EVERY, "nodes": ["net/MatMul"]}
PASSED = {"outcome": "passed"}


def root(folder, **result):
    run = Run(outcome={"state": "exited", "code": 1, "probes": "recorded"})
    run.trace(CAPSULE, "step", xla=False)
    run.event("failure", failure=1, exception="InvalidArgumentError", message=SAYS, state="raised", during="step",
              frames=[], module="tensorflow.python.framework.errors_impl", capsule=CAPSULE, chain=[])  # fmt: skip
    run.event("failure", failure=1, exception="InvalidArgumentError", state="uncaught")
    run.worker.append({"capsule": CAPSULE, "request": "failing_op", "batch": None, "result": None})
    run.worker.append({"capsule": CAPSULE, "request": "optimizers", "batch": None, "result": result or None})
    return scan_run(run.write(folder / "run")).root


def test_another_node_is_told_with_the_optimizer(tmp_path):
    found = root(tmp_path, every=EVERY, none=OTHERWISE, decisive=["remapping"], single={})
    said = [p.text for p in found.evidence if p.kind == "worker"]
    assert said == [
        "with the graph optimizer `remapping` off TensorFlow's message names net/MatMul instead of net/Relu"
    ]
    assert found.status != "confirmed"
    assert found.details["optimizers"]["decisive"] == ["remapping"]


def test_a_step_that_passes_without_them_confirms_the_failure(tmp_path):
    found = root(tmp_path, every=EVERY, none=PASSED, decisive=["constant_folding", "remapping"], single={})
    assert (found.slug, found.status, found.basis.kind) == ("matmul-conv-mismatch", "confirmed", "tested")
    said = [p.text for p in found.evidence if p.kind == "worker"]
    assert said == [
        "with the graph optimizer `constant_folding` or `remapping` off the recorded call passes; with all of them on "
        "it fails as in the run"
    ]


def test_no_single_one_is_blamed_for_what_several_do(tmp_path):
    found = root(tmp_path, every=EVERY, none=PASSED, decisive=[], single={})
    said = [p.text for p in found.evidence if p.kind == "worker"]
    assert said[0].startswith("with all graph optimizers off the recorded call passes")


@pytest.mark.parametrize(
    "result",
    [
        {"every": {**EVERY, "message": "Matrix size-incompatible: In[0]: [9,3], In[1]: [4,5]"}, "none": PASSED},
        {"every": EVERY, "none": PASSED, "filled": ["x"]},
        {"every": EVERY, "none": EVERY},
        {"every": PASSED, "none": PASSED},
        {"every": None, "none": PASSED},
        {"every": EVERY, "none": None},
        {},
    ],
    ids=["other sizes", "made up", "no difference", "not met", "by chance", "by chance without", "not answered"],
)
def test_what_was_not_met_again_says_nothing(tmp_path, result):
    found = root(tmp_path, **({"decisive": ["remapping"], "single": {}, **result} if result else {}))
    assert found.status != "confirmed"
    assert "optimizers" not in found.details


@pytest.mark.parametrize(
    ("named", "op", "asked"),
    [
        ("net/Relu", WorkerOp("MatMul", "net/MatMul", inner_node="MatMul"), True),
        ("net/Relu", None, True),
        ("net/MatMul", WorkerOp("MatMul", "net/MatMul", inner_node="MatMul"), False),
        ("StatefulPartitionedCall/net/MatMul", WorkerOp("MatMul", "net/MatMul", inner_node="net/MatMul"), False),
        ("MatMul", WorkerOp("MatMul", "StatefulPartitionedCall/net/MatMul", inner_node="net/MatMul"), False),
    ],
)
def test_a_worker_is_asked_only_where_another_node_is_named(named, op, asked):
    message = f"{TEXT}\n\t [[{{{{node {named}}}}}]]"
    assert asks({"message": message}, op) is asked
    assert not asks({"message": TEXT}, op)
