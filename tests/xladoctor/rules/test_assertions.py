"""Assertions of `tf.debugging` about sizes are of a class of shapes; those about values are the program's own."""

from __future__ import annotations

import pytest

from xladoctor.model.evidence import ErrorRecord, Frame
from xladoctor.rules import recognised

OWN = (Frame("/home/ada/train.py", 9, "step", "tf.debugging.assert_equal(a, b)"),)
PLAIN = (Frame("/home/ada/train.py", 9, "step", "mixed = tf.nn.relu(rows + spots)"),)
SIZED = (Frame("/home/ada/train.py", 9, "step", "tf.debugging.assert_equal(tf.shape(a), b.shape)"),)
KERAS = (*OWN, Frame("/site-packages/keras/src/backend/tensorflow/nn.py", 40, "entropy", "res = loss(x)", user=False))
TF = (*OWN, Frame("/site-packages/tensorflow/python/ops/linalg_ops.py", 4, "solve", "check(a, b)", user=False))
CHECK = Frame("/site-packages/tensorflow/python/ops/check_ops.py", 390, "assert_equal", user=False)


def named(x, left, y, right, sign="=="):
    said = f"Condition x {sign} y did not hold element-wise:"
    return f"assertion failed: [{said}] [x ({x}:0) = ] [{left}] [y ({y}:0) = ] [{right}]"


def eager(left, right):
    return (
        "Condition x == y did not hold. Indices of first 1 different values: [[1]] Corresponding x values: [48] "
        f"Corresponding y values: [49] First 2 elements of x: [{left}] First 2 elements of y: [{right}]"
    )


def classed(text, frames):
    record = ErrorRecord(text, "InvalidArgumentError", op_frames=frames)
    rule = recognised(record)
    hit = rule.recognise(record, text) if rule is not None and rule.recognise is not None else None
    return (rule.slug if rule is not None else None), (hit.dims if hit is not None else ())


LOSS = "compile_loss/sparse_categorical_crossentropy/SparseSoftmaxCrossEntropyWithLogits"


@pytest.mark.parametrize(
    ("text", "frames", "slug", "sizes"),
    [
        (named(f"{LOSS}/Shape_1", "4 49", f"{LOSS}/strided_slice", "4 48"), KERAS, "keras-input-mismatch", (49, 48)),
        (named("solve/Shape", "5 3", "solve/Shape_1", "6 3"), TF, "broadcast-mismatch", (5, 6)),
        (named("solve/strided_slice", "5", "solve/strided_slice_2", "6"), TF, "broadcast-mismatch", (5, 6)),
        (named("Shape", "5 3", "Shape_1", "6 4"), OWN, "contract-violation", (5, 3, 6, 4)),
        (named("Size", "15", "assert_equal_1/y", "16"), (*OWN, CHECK), "contract-violation", (15, 16)),
        (named("Rank", "2", "assert_equal_1/y", "3"), OWN, "rank-mismatch", (2, 3)),
        ("assertion failed: [] [Tensor a:0 must have rank] [3] [Received shape: ] [5 3]", OWN, "rank-mismatch", (3, 2)),
        ("assertion failed: [] [Specified by tensor a:0 dimension 0] [Tensor b:0 dimension] [0] [must have size] [5] "
         "[Received shape: ] [6 4]", OWN, "contract-violation", (5, 6)),
        (eager("4 48", "4 49"), (*SIZED, CHECK), "contract-violation", (48, 49)),
        # Row splits of two ragged tensors that meet in an op.
        (eager(" 0 31 57", " 0 30 55"), (*PLAIN, CHECK), "broadcast-mismatch", (31, 30)),
        (named("RowPartitionFromRowLengths/concat", "0 2 3", "RaggedShape_1/row_splits", "0 2 4"), OWN,
         "broadcast-mismatch", (1, 2)),
    ],
)  # fmt: skip
def test_of_sizes(text, frames, slug, sizes):
    assert classed(text, frames) == (slug, sizes)


@pytest.mark.parametrize(
    ("text", "frames"),
    [
        (named("Sum", "15", "assert_equal_1/y", "4"), OWN),
        (named("strided_slice", "5", "strided_slice_1", "6"), OWN),
        (named("Max", "15", "strided_slice", "4", "<"), OWN),
        (named("remap/Max", "15", "remap/Size", "4", "<"), TF),
        (eager("4 48", "4 49"), (*OWN, CHECK)),
        (eager("0 31 57", "0 30 55"), (*OWN, CHECK)),
        (eager("4 48", "4 49"), (*PLAIN, CHECK)),
        (eager("0 48 7", "0 49 8"), (*PLAIN, CHECK)),
        (named("RowPartitionFromRowLengths/concat", "0 2", "RowPartition_1/concat", "3", "<"), OWN),
        (eager("4 48", "4 49"), (*KERAS, CHECK)),
        ('assertion failed: [] [x and y not equal to tolerance rtol = Tensor("assert_near/rtol:0", shape=(), '
         "dtype=float32)] [x (a:0) = ] [[1 1 1]...] [y (b:0) = ] [[2 2 2]...]", OWN),
    ],
)  # fmt: skip
def test_of_values(text, frames):
    assert classed(text, frames)[0] not in (
        "keras-input-mismatch", "broadcast-mismatch", "contract-violation", "rank-mismatch", "slice-out-of-bounds"
    )  # fmt: skip
