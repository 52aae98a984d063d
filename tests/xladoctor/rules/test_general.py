"""Sentences that no rule knows: what is about shapes, what is not, and what the place says."""

from __future__ import annotations

import pytest

from tests.xladoctor.rules.fixtures import diagnose
from xladoctor.model.evidence import ErrorRecord, Frame
from xladoctor.rules import by_slug, known, recognised
from xladoctor.rules.recognise.general import guess
from xladoctor.rules.recognise.place import SHAPE_CHECK, place_of

# Sentences of our own making, built as such checks build theirs.
SHAPES = [
    ("The widget wants a grid of shape (4, 5), but the one it got has shape (4, 6)", None),
    ("rank of the kernel must be 3, not 2", "rank-mismatch"),
    ("`weights` must be a 1-D tensor", "rank-mismatch"),
    ("the two grids have mismatched dimensions", None),
    ("number of channels should be 3, got 4", "matmul-conv-mismatch"),
    ("cannot reshape the grid of 12 elements to shape (5, 2)", "reshape-mismatch"),
    ("all parts to concatenate must have the same size on axis 1: 3 against 4", "rank-mismatch concat-pack-mismatch"),
    ("Axis 4 is out of range for a grid with 2 dimensions", "rank-mismatch"),
    ("the mask cannot be a scalar", "rank-mismatch"),
    ("the grid is neither a vector nor a matrix", "rank-mismatch"),
    ("Unable to loop over a scalar tensor", "rank-mismatch"),
    ("Unexpected grid shape (3, 4) for tiles of shape (5,)", "broadcast-mismatch"),
    ("the grid cannot be broadcast to the inputs: (3,) for (4,)", "broadcast-mismatch"),
]
OTHERS = [
    "`padding` must be one of 'valid', 'same'. Received: padding=full",
    "The `units` argument must be a positive integer. Received: units=-3",
    "Expected dtype float32, got int64",
    "Unknown layer: Wobble. Please register it",
    "No such file or directory: '/data/shapes.npz'",
    "you must compile the model before you train it",
    "the frame of the instrument contains NaN",
    "`axis` must be an integer. Received: axis=one",
    "mode must be 'train' or 'test'",
]


@pytest.mark.parametrize(("text", "slug"), SHAPES)
def test_words_of_shapes(text: str, slug: str | None) -> None:
    found = diagnose(
        f'Traceback (most recent call last):\n  File "/home/a/t.py", line 3, in f\n    g()\nValueError: {text}\n'
    )
    assert found[0].code.startswith("XD3"), found[0]
    assert slug is None or found[0].slug in slug.split()
    assert found[0].status == "untested" or not found[0].details.get("general")


@pytest.mark.parametrize("text", OTHERS)
@pytest.mark.parametrize("exception", ["ValueError", "InvalidArgumentError", "RuntimeError"])
def test_words_of_something_else(text: str, exception: str) -> None:
    record = ErrorRecord(text, exception)
    assert guess(record, text) is None


VALUES = " ".join(f"[{n} {n}.5 0.{n}]" for n in range(400))


@pytest.mark.parametrize("printed", [f"<Variable path=block1/kernel, shape=(8, 8), dtype=float32, value=[{VALUES}]>",
                                     f"<tf.Variable 'w:0' shape=(8, 8) dtype=float32, numpy=array([{VALUES}])>",
                                     f"<tf.Tensor: shape=(8, 8), dtype=float32, numpy=array([{VALUES}])>"])  # fmt: skip
def test_what_a_tensor_holds_says_nothing_of_shapes(printed) -> None:
    text = f"Unknown variable: {printed}. This optimizer can only be called for the variables it was built with."
    assert guess(ErrorRecord(text, "ValueError"), text) is None


@pytest.mark.parametrize(
    ("text", "about_shapes"),
    [
        ("section.kind: invalid XLA or shape option 'yes', expected one of: auto, none", False),
        ("the ranks of data and model differ, see the configuration", False),
        ("images of shape (64, 64) do not match offsets of shape (8, 2)", True),
        ("expected 3 channels, got 4", True),
    ],
)
@pytest.mark.parametrize("line", ["raise ValueError(text)", "library(text)"])
def test_a_check_of_the_program_itself_is_about_shapes_only_where_it_names_sizes(text, about_shapes, line) -> None:
    found = diagnose(
        f'Traceback (most recent call last):\n  File "/home/a/t.py", line 3, in f\n    {line}\nValueError: {text}\n'
    )
    assert found[0].code.startswith("XD3") is (about_shapes or line == "library(text)")


@pytest.mark.parametrize("exception", ["AssertionError", "KeyError", "FileNotFoundError", "ImportError", "MemoryError"])
def test_exceptions_that_are_never_about_shapes(exception: str) -> None:
    text = "shape (3,) must match shape (4,)"
    assert guess(ErrorRecord(text, exception), text) is None


def _at(file: str, function: str) -> ErrorRecord:
    return ErrorRecord("nothing that is known", "ValueError", frames=(Frame(file, 9, function, user=False),))


def test_the_place_that_only_checks_shapes() -> None:
    record = _at("/x/site-packages/keras/src/layers/input_spec.py", "assert_input_compatibility")
    assert place_of(record).kind == SHAPE_CHECK
    assert recognised(record) is by_slug("keras-input-mismatch")
    assert recognised(_at("/x/site-packages/keras/src/layers/core/dense.py", "call")) is None


def test_the_place_does_not_override_the_words() -> None:
    frame = Frame("/x/site-packages/keras/src/layers/input_spec.py", 9, "assert_input_compatibility", user=False)
    for text in ("Expected dtype float32, got int64", "the value contains NaN"):
        assert guess(ErrorRecord(text, "ValueError", frames=(frame,)), text) is None


def test_the_op_is_the_place_of_a_kernel() -> None:
    text = "Input matrix and rhs are incompatible."
    record = ErrorRecord(text, "InvalidArgumentError", op="MatrixSolve")
    assert known(record) is None and recognised(record) is by_slug("matmul-conv-mismatch")
    assert guess(ErrorRecord(text, "InvalidArgumentError"), text) is None


def test_what_xla_passes_on_is_no_failed_compilation() -> None:
    text = "Too few dimensions in the input for the given einsum config.\n\t [[{{node Einsum}}]]\n"
    text += "\ttf2xla conversion failed while converting __inference_f_1[_XlaMustCompile=true]."
    record = ErrorRecord(text, "InvalidArgumentError", nodes=("Einsum",))
    rule = recognised(record)
    assert rule is not None and rule.code.startswith("XD3")


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        ("OSError: [Errno 122] Disk quota exceeded: '/home/a/x'", "disk-full"),
        ("ResourceExhaustedError: /scratch/x.data; No space left on device", "disk-full"),
        ("NanLossDuringTrainingError: NaN loss during training.", "not-finite"),
        (
            "ValueError: Unknown entries in loss dictionary: ['out']. Only expected following keys: ['head']",
            "wrong-input-key",
        ),
        ("UnpicklingError: invalid load key, 'v'.", "pickling-failed"),
        ("ImportError: cannot import name 'np_utils' from 'keras.utils' (/x/keras/utils/__init__.py)", "removed-name"),
        ("ModuleNotFoundError: No module named 'keras'", "not-xla"),
        ("DataLossError: Unable to open table file x: not an sstable (bad magic number)", "saved-file-unusable"),
        (
            "UnknownError: ValueError: operands could not be broadcast together with shapes (3,) (4,)",
            "broadcast-mismatch",
        ),
        ("UnknownError: ZeroDivisionError: division by zero", "callback-error"),
        ("IndexError: list index out of range", "not-xla"),
    ],
)
def test_classes_outside(line: str, slug: str) -> None:
    assert diagnose(line + "\n")[0].slug == slug


@pytest.mark.parametrize(
    ("said", "slug"),
    [
        ("`labels` out of bound\nCondition x < y did not hold.\nFirst 3 elements of x:\n[255 2 1]\n"
         "First 1 elements of y:\n[4]", "index-out-of-range"),
        ("weights leave [0, 1]\nCondition x <= y did not hold.\nFirst 2 elements of x:\n[1.4 0.3]\n"
         "First 1 elements of y:\n[1.0]", "not-xla"),
        ("during context [Unknown]: Expected comparison type SIGNED.\nactual: TOTALORDER", "xla-internal-ret-check"),
    ],
)  # fmt: skip
def test_an_assertion_of_values_is_not_about_shapes(said, slug):
    from xladoctor.workers.classify import finding

    assert finding("InvalidArgumentError", said).slug == slug


@pytest.mark.parametrize(
    "said", ["InvalidArgumentError: Incompatible shapes: [2,5] vs. [4,3] [Op:AddV2]", "KeyError: 'w'"]
)
def test_of_an_exception_that_a_pool_raises_again_the_line_is_the_workers(said):
    import io

    from xladoctor.logs import read_log
    from xladoctor.recording.evidence import Evidence
    from xladoctor.rules import findings

    frame = 'Traceback (most recent call last):\n  File "/home/ada/{}", line {}, in {}\n    x\n'
    log = f'multiprocessing.pool.RemoteTraceback: \n"""\n{frame.format("job.py", 9, "score")}{said}\n"""\n\n'
    log += "The above exception was the direct cause of the following exception:\n\n"
    log += f"{frame.format('job.py', 14, '<module>')}{said}\n"
    found = findings(Evidence("x", log=read_log(io.BytesIO(log.encode()), name="x")))
    assert found[0].location.line == 9


def test_sizes_by_their_names_are_no_rank():
    said = "Input transform should be num_images x 8 or 1 x 8 [Op:ImageProjectiveTransformV3]"
    record = ErrorRecord(said, "InvalidArgumentError", where="train.log:1", op="ImageProjectiveTransformV3")
    assert guess(record, said)[0] == "broadcast-mismatch"


@pytest.mark.parametrize(
    "said",
    [
        "along axis 0; size of axis is 96 but size of corresponding boolean axis is 100",
        "along dimension 0; dimension is 96 but corresponding boolean dimension is 100",
    ],
    ids=["NumPy 2", "NumPy 1"],
)
def test_a_boolean_index_of_another_length(said: str) -> None:
    [found] = diagnose(f"IndexError: boolean index did not match indexed array {said}\n")
    assert (found.slug, found.dims, found.details["axis"]) == ("broadcast-mismatch", (96, 100), 0)


def test_operands_of_a_division_of_two_types() -> None:
    [found] = diagnose("TypeError: `x` and `y` must have the same dtype, got tf.float32 != tf.float64.\n")
    assert (found.slug, found.details["types"]) == ("dtype-mismatch", ["float32", "float64"])


@pytest.mark.parametrize(
    ("frames", "slug"),
    [
        ('  File "/w/t.py", line 43, in table\n    np.asarray(v)\n', "tensor-out-of-scope"),
        ('  File "/w/t.py", line 43, in tf__table\n    np.asarray(v)\n', "not-xla"),
        (
            '  File "/x/autograph/impl/api.py", line 9, in f\n    g()\n  File "/w/t.py", line 4, in h\n    np.sum(v)\n',
            "not-xla",
        ),
    ],
    ids=["nothing is traced", "a function of AutoGraph", "below AutoGraph"],
)
def test_a_symbol_that_numpy_is_given(frames: str, slug: str) -> None:
    said = (
        "NotImplementedError: Cannot convert a symbolic tf.Tensor (Mean:0) to a numpy array. This may be a NumPy call"
    )
    assert diagnose(f"Traceback (most recent call last):\n{frames}{said}\n")[0].slug == slug
