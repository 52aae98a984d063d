"""Wordings of one and the same mistake: each is known by its class and its sizes, none is left over as no mistake."""

from __future__ import annotations

from io import BytesIO

import pytest

from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import findings

GRAPH = "tensorflow.python.framework.errors_impl.InvalidArgumentError: Graph execution error:\n\n"
JOIN = "All dimensions except 1 must match. Input 1 has shape [9 4] and doesn't match input 0 with shape [3 6].\n"
BRANCH = "left_branch_shape.dimensions_size() != right_branch_shape.dimensions_size() (1 vs 3)\n\t [[{{node cond}}]]\n"
DYNAMIC = "InvalidArgumentError: XLA has not implemented dynamic sized {} yet.\n\t [[{{{{node strided_slice_6}}}}]]\n"
YIELDED = "TypeError: `generator` yielded an element {}.\n\n\t [[{{{{node PyFunc}}}}]]\n"
OTHER = "of shape (11,) where an element of shape (12,) was expected"
OF = "Tensor shape=(4, {}, 3) dtype=float32 dimension 1"
SIZES = (
    f"ValueError: batch.  Specified by t{OF.format(32)[1:]}.  {OF.format(128)} must have size 32.  Received size 128\n"
)
PIECES = (
    "ValueError: Exception encountered when calling Reshape.call().\n\nThe total size of the tensor must be unchanged. "
    "Received: input_shape=(16,), target_shape=(5, 3)\n"
)
SEEDED = "UnimplementedError: GPU MaxPool gradient ops do not yet have a deterministic XLA implementation.\n"
LATE = "Intra op parallelism cannot be modified after initialization.\n"
ELEMENTS = "Tensor [[1 2]] (converted from [[1, 2]]) has 6 elements, but got `shape` (2, 2) with 4 elements)."
STACKED = "Every value in `x` must have the same shape. But found element of shape (2, 3), which is different from the"
KERNELS = "  device='CPU'; Ta in [DT_FLOAT]; Tb in [DT_FLOAT]\n"
NO_KERNEL = f"with these attrs: [Tb=DT_FLOAT, adj_y=false, Ta=DT_INT8]\nRegistered kernels:\n{KERNELS}"
NO_DEVICE = (
    f"{{{{node M}}}} = MatMulV3[Ta=DT_INT8, Tb=DT_FLOAT, grad_x=false]\nAll kernels registered for op:\n{KERNELS}"
)
NAME = "TypeError: Expected float64, but got height of type 'str'.\n"


@pytest.mark.parametrize(
    ("text", "slug", "words"),
    [
        (GRAPH + JOIN, "concat-pack-mismatch", "[3, 6] and [9, 4]"),
        (GRAPH + BRANCH, "branch-shape-mismatch", "1 against 3 axes"),
        (DYNAMIC.format("slice with non-trival stride"), "dynamic-dimension-unsupported", "slice with non-trival"),
        (DYNAMIC.format("sorting"), "dynamic-dimension-unsupported", "known only at run time"),
        (YIELDED.format(OTHER), "contract-violation", "of shape (11,), but its signature declares one of shape (12,)"),
        (YIELDED.format("that did not match the expected structure"), "callback-error", "expected structure"),
        (f"RuntimeError: {LATE}", "setting-too-late", "Intra op parallelism: this was set after"),
        ("RuntimeError: Collective ops must be configured at program startup\n", "setting-too-late", "Collective ops"),
        (SIZES, "contract-violation", "32 expected, 128 received"),
        (PIECES, "reshape-mismatch", "16"),
        (SEEDED, "determinism-unsupported", "MaxPool gradient ops: no deterministic version"),
        (NAME, "dtype-mismatch", "height was given, which is text"),
        (f"TypeError: Eager execution of tf.constant with unsupported shape. {ELEMENTS}\n", "reshape-mismatch", "6"),
        ("ValueError: Too many elements provided. Takes at most 4, but received 6\n", "reshape-mismatch", "takes 4"),
        ("ValueError: List argument 'values' to 'Pack' Op with length 0 shorter than minimum length 1.\n",
         "concat-pack-mismatch", "Pack got 0 tensors, and takes 1 or more"),
        (f"ValueError: {STACKED} first element's shape (2, 4).\n", "concat-pack-mismatch", "[2, 4] cannot be stacked"),
        ("ValueError: Cannot merge tensors with different batch sizes. Received tensors with shapes [(2, 3), (4, 3)]\n",
         "broadcast-mismatch", "[2, 3] and [4, 3]"),
        ("ValueError: Cannot broadcast shape, the failure dim has value 3, which cannot be broadcasted to 4. Input "
         "shapes are: [2, 3] and [2, 4].\n", "broadcast-mismatch", "3 against 4"),
        ('ValueError: Got 2 arguments for equation "ij->ji", expecting 1\n', "matmul-conv-mismatch", "which takes 1"),
        ("ValueError: A `Subtract` layer should be called on exactly 2 inputs. Received: inputs=[1, 2, 3]\n",
         "keras-input-mismatch", "takes 2 inputs"),
        ("ValueError: Number of groups (4) must be a multiple of the number of channels (6).\n", "keras-input-mismatch",
         "4 groups do not fit 6 channels"),
        ("InvalidArgumentError: Input types don't match. a.dtype == float vs. b.dtype == complex64\n", "dtype-mismatch",
         "float and complex64"),
        ("InvalidArgumentError: Type mismatch: actual float vs. expect int64\n", "dtype-mismatch", "int64 is expected"),
        ("InvalidArgumentError: Invalid data types; input tensor type: int32 list element_type: float\n",
         "dtype-mismatch", "int32 and float"),
        ("ValueError: could not broadcast input array from shape (6,) into shape (8,)\n", "broadcast-mismatch",
         "6 against 8"),
        ("InvalidArgumentError: Invalid reduction arguments: Axes contains duplicate dimension: 1\n", "rank-mismatch",
         "axis 1 twice"),
        ("InvalidArgumentError: indices[3] is invalid: 9 >= 4\n", "index-out-of-range", "Index 9 into an axis of 4"),
        ("ValueError: Layer has 2 states but was passed 1 initial states.\n", "keras-input-mismatch", "and got 1"),
        ("ValueError: The last dimension of the inputs to a Dense layer should be defined. Found None.\n",
         "keras-input-mismatch", "must know the last axis"),
        (f"NotFoundError: Could not find device for node: {NO_DEVICE}", "dtype-mismatch", "(int8, float)"),
        (f"InvalidArgumentError: No OpKernel was registered to support Op 'MatMulV3' used by M {NO_KERNEL}",
         "dtype-mismatch", "(float, int8)"),
    ],
)  # fmt: skip
def test_a_wording(text, slug, words):
    log = read_log(BytesIO(f"Traceback (most recent call last):\n{text}".encode()), name="log")
    found = findings(Evidence("log", log=log))[0]
    assert found.slug == slug
    assert words in found.message


TYPED = "'action' has dtype int32 in the main branch, but dtype int64 in the else branch"
NESTS = "The two structures don't have the same nested structure.\n\nFirst structure: type=tuple"


@pytest.mark.parametrize(
    ("line", "text", "slug"),
    [
        ("a = f(x)", f"TypeError: in user code:\n\n    TypeError: {TYPED}", "branch-shape-mismatch"),
        ("a = f(x)", "ValueError: 'y' is None at the end of the else branch.", "branch-shape-mismatch"),
        ("a = f(x)", "ValueError: the else branch must also have a return statement.", "branch-shape-mismatch"),
        (
            "a = f(x)",
            "TypeError: 'y' must have the same nested structure in the main and else branches:\n\nsome",
            "branch-shape-mismatch",
        ),
        ("a = f(x)", "TypeError: Incompatible return types of 'true_fn' and 'false_fn': some", "branch-shape-mismatch"),
        ("a = f(x)", "TypeError: Cannot reconcile tf.cond 0-th outputs:\n  some", "branch-shape-mismatch"),
        (
            "a = f(x)",
            "ValueError: Lengths of branch outputs of cond must match.\nlen(graphs[0].outputs): 1\n"
            "len(graphs[1].outputs): 0",
            "branch-shape-mismatch",
        ),
        (
            "a = f(x)",
            "TypeError: branches[0] and branches[1] arguments to tf.switch_case must have the same number",
            "branch-shape-mismatch",
        ),
        ("y = tf.switch_case(i, branches)", "AssertionError: [1, 2]", "branch-shape-mismatch"),
        ("y = tf.cond(c, one, two)", f"ValueError: {NESTS}", "branch-shape-mismatch"),
        ("y = tf.while_loop(test, body, [x])", f"ValueError: {NESTS}", "loop-shape-mismatch"),
        ("y = tf.nest.assert_same_structure(a, b)", f"ValueError: {NESTS}", "not-xla"),
        (
            "a = f(x)",
            "TypeError: Loop var 9:0 enters the loop with type <dtype: 'float32'> but has type <dtype: 'int32'> after",
            "loop-shape-mismatch",
        ),
        (
            "a = f(x)",
            "ValueError: 'y' has shape (2,) before the loop, which does not conform with the shape invariant (3,).",
            "loop-shape-mismatch",
        ),
        (
            "a = f(x)",
            "TypeError: 'y' does not have the same nested structure after one iteration.\n\nsome",
            "loop-shape-mismatch",
        ),
        ("a = f(x)", "ValueError: 'y' is None at the end of the iteration.", "loop-shape-mismatch"),
    ],
)
def test_what_branches_and_loops_give(line, text, slug):
    """Each sentence with which TensorFlow 2.21 refuses branches that differ, and a body that changes its variables."""
    traceback = f'Traceback (most recent call last):\n  File "/home/a/t.py", line 3, in f\n    {line}\n{text}\n'
    log = read_log(BytesIO(traceback.encode()), name="log")
    assert findings(Evidence("log", log=log))[0].slug == slug


@pytest.mark.parametrize(("text", "by_system"), [("[Errno 5] Input/output error", True), ("it is cut", False)])
def test_an_oserror_without_a_number_is_not_of_the_system(text, by_system):
    log = read_log(BytesIO(f"Traceback (most recent call last):\nOSError: {text}\n".encode()), name="log")
    assert ("system refused" in findings(Evidence("log", log=log))[0].message) is by_system


def test_the_op_of_a_loop_that_changes_a_shape_is_the_loop():
    text = "InvalidArgumentError: Input and output shapes of loop body do not match: (s32[2,2]) vs. (s32[2,3])\n"
    log = read_log(BytesIO(f"Traceback (most recent call last):\n{text}".encode()), name="log")
    assert [(f.slug, f.op) for f in findings(Evidence("log", log=log))] == [("loop-shape-mismatch", "While")]


@pytest.mark.parametrize(
    ("defined", "line"),
    [
        ((("train.py", 30, "<module>"),), 36),
        ((("train.py", 36, "<module>"),), 36),
        ((("train.py", 30, "<module>"), ("train.py", 7, "call")), 7),
        ((("model.py", 3, "build"),), 3),
        ((), 36),
    ],
)
def test_the_line_of_a_second_call_is_not_that_of_the_first(defined, line):
    """A function is traced at its first call; its ops keep the stack of that."""
    from xladoctor.model.evidence import ErrorRecord, Frame

    stack = tuple(Frame(*place) for place in defined)
    record = ErrorRecord(
        "label 5", "InvalidArgumentError", frames=(Frame("train.py", 36, "<module>"),), op_frames=stack
    )
    assert record.user_frame is not None and record.user_frame.line == line
    session = Frame("/x/site-packages/tensorflow/python/client/session.py", 9, "run", user=False)
    old = ErrorRecord("label 5", frames=(Frame("train.py", 36, "<module>"), session), op_frames=stack)
    assert old.user_frame is not None and (not stack or old.user_frame.line == stack[-1].line), "graph mode"
