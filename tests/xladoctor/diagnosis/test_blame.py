"""When the op that a worker found is another one than the message names."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from xladoctor.diagnosis.blame import first_to_fail
from xladoctor.diagnosis.enrich import same_failure
from xladoctor.model.diagnosis import Finding
from xladoctor.model.ops import OpInput, WorkerOp


def _finding(node: str, dims: tuple[int, ...] = (7, 3)) -> Finding:
    return Finding(
        "XD306", "index-out-of-range", "error", "root", "t", "m", dims=dims, op="GatherV2", node=node
    )  # fmt: skip


def _op(value: object, node: str = "GatherV2") -> WorkerOp:
    inputs = (OpInput(shape=(3,), value=[True, True, True]), OpInput(shape=(2, 3), value=value))
    return WorkerOp("GatherV2", node, inputs=inputs, message="indices[0,0] = 7 is not in [0, 3)")


def _step(op: WorkerOp) -> SimpleNamespace:
    return SimpleNamespace(failing_op=op, under_xla=False)


@pytest.mark.parametrize("value", [[[7, 7, 7], [7, 7, 7]], None], ids=["in lists", "too large to record"])
def test_an_index_is_the_same_failure_whether_its_value_was_recorded_or_not(value):
    assert same_failure(_finding("GatherV2"), _op(value))


def test_the_op_that_the_message_names_does_not_come_before_itself():
    told = Finding(
        "XD301", "reshape-mismatch", "error", "root", "t", "m", dims=(50, 60), op="Reshape", node="Reshape"
    )  # fmt: skip
    said = "Input to reshape is a tensor with 25 values, but the requested shape has 30"
    op = WorkerOp("Reshape", "Reshape", inputs=(OpInput(shape=(5, 5)),), message=said)
    assert first_to_fail(_step(op), [told]) is None


def test_labels_that_meet_no_logits_come_first(monkeypatch):
    """They meet in an op that names neither a layer nor a broadcast; the optimizer moved the failure to another."""
    told = Finding(
        "XD302", "broadcast-mismatch", "error", "root", "t", "m", dims=([8, 3], [32, 3]), op="AddV2", node="add"
    )  # fmt: skip
    said = "logits and labels must have the same first dimension, got logits shape [8,8] and labels shape [32]"
    op = WorkerOp("SparseSoftmaxCrossEntropyWithLogits", "loss", kind="InvalidArgumentError", message=said)
    monkeypatch.setattr("xladoctor.diagnosis.blame.enrich", lambda finding, _: finding)
    first = first_to_fail(_step(op), [told])
    assert first is not None
    assert (first.slug, first.details["row_counts"]) == ("keras-input-mismatch", [8, 32])
    assert "names AddV2 add; without the graph optimizer, the step fails here" in first.message
