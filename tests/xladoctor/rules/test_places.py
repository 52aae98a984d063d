"""What the library's function that raised says, an `input_signature` that does not fit, and the user's line."""

from __future__ import annotations

import io

import pytest

from xladoctor.diagnosis.engine import diagnose
from xladoctor.logs import read_log
from xladoctor.recording.evidence import Evidence

V = "/v/lib/python3.8/site-packages/"
HEAD = "Traceback (most recent call last):\n"


def root(text):
    log = read_log(io.BytesIO(text.encode()), name="log")
    return diagnose(Evidence("log", log=log)).findings[0]


def frame(file, function, line=9):
    return f'  File "{file}", line {line}, in {function}\n    call(x)\n'


@pytest.mark.parametrize(
    ("place", "said", "slug"),
    [
        ("keras/layers/core.py set_weights", "The array (8, 2) does not match (8, 3).", "weight-shape-mismatch"),
        ("keras/engine/topology.py load_weights_from_hdf5_group", "(8, 3) is not (8, 2)", "weight-shape-mismatch"),
        ("keras/engine/training.py _standardize_input_data", "3 samples differ from 4", "keras-input-mismatch"),
        ("tensorflow/python/ops/weights_broadcast_ops.py assert_broadcastable", "(3,), (4,)", "keras-input-mismatch"),
        ("keras/layers/core.py _fix_unknown_dimension", "the sizes 12 and 10 differ", "reshape-mismatch"),
        ("numpy/core/shape_base.py vstack", "sizes differ: 3 and 4", "concat-pack-mismatch"),
        ("tensorflow/python/ops/image_ops_impl.py _verify_compatible_image_shapes", "a, b", "broadcast-mismatch"),
    ],
)  # fmt: skip
def test_an_unknown_sentence_has_the_class_of_its_place(place, said, slug):
    file, function = place.split()
    found = root(f"{HEAD}{frame('/home/ada/fit.py', '<module>', 31)}{frame(V + file, function)}ValueError: {said}\n")
    assert (found.slug, found.status, found.location.line) == (slug, "untested", 31)


@pytest.mark.parametrize(
    ("said", "slug"),
    [
        ("parts = 7 at ids[2] is not in [0, 4)", "index-out-of-range"),
        ("row ids must be < rows", "index-out-of-range"),
        ("Row splits must stop at the last value", "broadcast-mismatch"),
        ("The values tensor must not be empty", "broadcast-mismatch"),
        ("the two sides need the same in_depth", "broadcast-mismatch"),
        ("Only ranks up to 5 are handled: 7", "rank-mismatch"),
        ("kept shape of int32, but its element type was int64", None),
        ("the input file name must not be empty", None),
        ("number of threads must be >= 1", None),
        ("worker id 7 is out of range", None),
    ],
)
def test_what_only_a_kernel_says_of_its_inputs(said, slug):
    relayed = frame(V + "tensorflow/python/eager/execute.py", "quick_execute")
    error = f"tensorflow.python.framework.errors_impl.InvalidArgumentError: {said} [Op:Weave]\n"
    found = root(f"{HEAD}{frame('/home/ada/fit.py', '<module>', 31)}{relayed}{error}")
    assert found.slug == (slug or found.slug)
    assert slug or not found.code.startswith("XD3")


def test_an_empty_file_is_no_tensor_without_elements():
    relayed = frame(V + "tensorflow/python/eager/execute.py", "quick_execute")
    error = "tensorflow.python.framework.errors_impl.InvalidArgumentError: The input is empty. [Op:%s]\n"
    heads = f"{HEAD}{frame('/home/ada/fit.py', '<module>', 31)}{relayed}"
    assert root(heads + error % "DecodeKnots").code.startswith("XD9")
    assert root(heads + error % "Weave").slug == "broadcast-mismatch"


def test_what_is_not_implemented_is_a_shape_only_where_it_says_a_rank():
    frames = frame("/home/ada/fit.py", "<module>", 31) + frame(V + "keras/src/layers/layer.py", "compute")
    said = "NotImplementedError: Layer Knot(2, 3) has no `compute_shape` method, which is required."
    assert root(f"{HEAD}{frames}{said}\n").code.startswith("XD9")
    assert root(f"{HEAD}{frames}NotImplementedError: This works for 2D arrays only.\n").slug == "rank-mismatch"


@pytest.mark.parametrize(
    ("place", "said", "shaped"),
    [
        ("numpy/polynomial/polyutils.py _fit", "x and y need the same length", True),
        ("numpy/f2py/crackfortran.py crack", "a and b need the same length", False),
        ("keras/src/ops/image.py compute_output_spec", "3 channels are required, but 4 were given", True),
    ],
)
def test_a_function_that_gets_arrays_and_nothing_else(place, said, shaped):
    file, function = place.split()
    found = root(f"{HEAD}{frame('/home/ada/fit.py', '<module>', 31)}{frame(V + file, function)}ValueError: {said}\n")
    assert found.code.startswith("XD3") is shaped


@pytest.mark.parametrize(
    ("file", "code", "shaped"),
    [
        (V + "keras/layers/core.py", "assert len(x.shape) == rank", True),
        (V + "keras/layers/core.py", "assert self.built", False),
        ("/home/ada/fit.py", "assert len(x.shape) == rank", False),
    ],
)
def test_a_library_that_asserts_something_of_a_shape_and_says_nothing(file, code, shaped):
    last = f'  File "{file}", line 9, in call\n    {code}\n'
    found = root(f"{HEAD}{frame('/home/ada/fit.py', '<module>', 31)}{last}AssertionError\n")
    assert (found.slug == "rank-mismatch") is shaped


def test_a_dimension_that_must_fit_is_a_shape_beside_words_of_types():
    said = "Cannot view dtype. Last dimension size (3) must be divisible by the ratio of the items (2)."
    frames = frame("/home/ada/fit.py", "<module>", 31) + frame(V + "keras/src/backend/numpy.py", "view")
    assert root(f"{HEAD}{frames}ValueError: {said}\n").code.startswith("XD3")


def test_a_place_a_few_frames_above_the_one_that_raised():
    frames = frame(V + "keras/saving/hdf5_format.py", "load_weights_from_hdf5_group") + frame(
        V + "keras/vars.py", "put"
    )
    assert root(f"{HEAD}{frames}ValueError: shapes (8, 3) and (8, 2) differ\n").slug == "weight-shape-mismatch"


@pytest.mark.parametrize(
    "said", ["the file is not open", "Unable to find group 'dense'", "dtype float64 is not float32"]
)
def test_a_place_does_not_make_shapes_of_other_words(said):
    frames = frame(V + "keras/engine/topology.py", "load_weights_from_hdf5_group")
    assert root(f"{HEAD}{frames}ValueError: {said}\n").slug not in ("weight-shape-mismatch", "keras-input-mismatch")


def spec(shape, dtype="float32"):
    return f"TensorSpec(shape={shape}, dtype=tf.{dtype}, name=None)"


def bound(given, wanted):
    """As TensorFlow 2.21 says it."""
    return (
        f"TypeError: Binding inputs to tf.function failed due to `Can not cast {given} to {wanted}`. Received args: "
        f"(<tf.Tensor 'x:0' shape=(2, 3) dtype=float32>,) and kwargs: {{}} for signature: (x: {wanted}).\n"
    )


def listed(values, specs):
    """As it was said up to TensorFlow 2.9."""
    return (
        f"ValueError: Python inputs incompatible with input_signature:\n  inputs: (\n    {values})\n"
        f"  input_signature: (\n    {specs}).\n"
    )


TENSOR = "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=%s, dtype=%s)"
PAIR = TENSOR % ("(2, 2)", "float32") + ",\n    " + TENSOR
SPECS = spec("(None, 2)") + ",\n    " + spec("(None, 1)")


@pytest.mark.parametrize(
    ("text", "slug", "dims"),
    [
        (bound(spec("(9, 1)"), spec("(None, 2)")), "contract-violation", (9, 1, 2)),
        (bound(spec("(9,)"), spec("(None, 2)")), "rank-mismatch", (2, 1)),
        (bound(spec("(9, 2)", "int32"), spec("(None, 2)")), "dtype-mismatch", ()),
        (listed(PAIR % ("(2, 3)", "float32"), SPECS), "contract-violation", (2, 3, 1)),
        (listed(PAIR % ("(2,)", "float32"), SPECS), "rank-mismatch", (2, 1)),
        (listed(PAIR % ("(2, 1)", "float64"), SPECS), "dtype-mismatch", ()),
        (listed("'many', 3", SPECS), "contract-violation", ()),
    ],
    ids=["size", "rank", "type", "size, old", "rank, old", "type, old", "no tensors, old"],
)
def test_what_differs_from_a_signature_gives_the_class(text, slug, dims):
    found = root(HEAD + frame("/home/ada/fit.py", "<module>", 31) + text)
    assert (found.slug, found.dims, found.location.line) == (slug, dims, 31)


COLAB = """\
InvalidArgumentError                      Traceback (most recent call last)
[<ipython-input-7-c0ffee>](https://localhost:8080/#) in <module>()
      1 net = build()
----> 2 net.fit(data)

2 frames
[/usr/local/lib/python3.7/dist-packages/keras/utils/traceback_utils.py](https://localhost:8080/#) in handler(*args)
     66       found = process(e)
---> 67       raise e.with_traceback(found) from None

InvalidArgumentError: Incompatible shapes: [8,5] vs. [8,4]
"""
QUOTED = (
    "` " + HEAD + frame(V + "tensorflow/python/framework/ops.py", "make")
    + "InvalidArgumentError: Dimensions must be equal, but are 9 and 3 for 'cell/MatMul_6' (op: 'MatMul') with input "
    "shapes: [?,9], [3,4].\n` \n `During handling of the above exception, another exception occurred:`\n\n"
    "`Traceback\n`\n` (most recent call last):\n" + frame(V + "app.py", "run") + frame("/home/ada/fit.py", "main", 31)
)  # fmt: skip
ABOVE = (
    frame("/home/ada/net.py", "call", 31) + frame(V + "keras/utils/traceback_utils.py", "handler") + "\n"
    "2022-05-06 10:00:00.100001: W tensorflow/core/framework/op_kernel.cc:1745] OP_REQUIRES failed at xla_ops.cc:248 : "
    "INVALID_ARGUMENT: Input 0 to node `net/BroadcastArgs` with op BroadcastArgs must be a compile-time constant.\n"
)


@pytest.mark.parametrize(("text", "line"), [(COLAB, 2), (QUOTED, 31), (ABOVE, 31)], ids=["colab", "quoted", "above"])
def test_the_users_line(text, line):
    assert root(text).location.line == line


def test_frames_far_above_a_line_of_the_runtime_are_not_its_own():
    assert root(ABOVE.replace("\n\n", "\n" + "all is well\n" * 9)).location is None


@pytest.mark.parametrize(
    ("file", "slug"),
    [
        (V + "tensorflow/python/framework/tensor_shape.py", "rank-mismatch"),
        (V + "keras/src/ops/numpy.py", "rank-mismatch"),
        (V + "tensorflow/python/data/util/nest.py", "not-xla"),
        ("/home/ada/tables.py", "not-xla"),
    ],
)
def test_a_tuple_that_is_too_short_is_a_shape_where_the_library_indexes_one(file, slug):
    raised = frame(file, "__getitem__").replace("call(x)", "return self._dims[key]" if "tensor" in file else "axes[i]")
    text = f"{HEAD}{frame('/home/ada/fit.py', '<module>', 31)}{raised}IndexError: tuple index out of range\n"
    assert root(text).slug == slug


@pytest.mark.parametrize(
    ("op", "said", "slug"),
    [
        ("AdjustHue", "input must have 3 channels but instead has 4 channels.", "broadcast-mismatch"),
        ("Batch", "Task size 3 is larger than maximum input batch size 2", "broadcast-mismatch"),
        ("TensorScatterUpdate", "The inner 1 dimensions of a=[2,3] must match updates=[2,4]", "broadcast-mismatch"),
        ("GetElementAtIndex", "Index out of range [4]:97", "index-out-of-range"),
        ("UnsortedSegmentJoin", "Segment dimension is 4 while input dimension is 5 in rank 1", "rank-mismatch"),
        ("MatrixSetDiagV9", "the number of diagonals in `d` is not consistent with `lower`", "rank-mismatch"),
        ("SparseReduceMax", "Order length must be SparseTensor rank.", "rank-mismatch"),
        ("SparseReduceMax", "vals must be a vec, but got: 3", "rank-mismatch"),
        ("AvgPoolGrad", "original input tensor shape must be4-dimensional and 4 elements", "rank-mismatch"),
        ("Substr", "Substr broadcast not implemented for 4 dimensions", "rank-mismatch"),
        ("NumWorkers", "num_workers must be greater than zero.", "not-xla"),
        ("Conv9D", "input must have 3 channels but instead has 4 channels.", "matmul-conv-mismatch"),
    ],
)
def test_what_a_kernel_says_of_its_inputs_is_of_a_product_only_where_it_makes_one(op, said, slug):
    name = "tensorflow.python.framework.errors_impl.InvalidArgumentError"
    assert root(f"{HEAD}{frame('/home/ada/fit.py', '<module>')}{name}: {said} [Op:{op}] name: \n").slug == slug


@pytest.mark.parametrize(
    ("code", "slug"),
    [
        ("batch, height, width = x.shape", "rank-mismatch"),
        ("n, k = tf.shape(x)", "rank-mismatch"),
        ("rows, columns = x.get_shape().as_list()", "rank-mismatch"),
        ("name, value = line.split('=')", "not-xla"),
        ("(x, y) = load(shape=3)", "not-xla"),
    ],
)
def test_what_is_unpacked_is_a_shape_or_something_else(code, slug):
    own = frame("/home/ada/fit.py", "call").replace("call(x)", code)
    found = root(f"{HEAD}{own}ValueError: not enough values to unpack (expected 3, got 2)\n")
    assert (found.slug, found.location.line) == (slug, 9)


def test_a_shape_that_is_set_is_no_saved_weight():
    said = "ValueError: Tensor's shape (4,) is not compatible with supplied shape (5,)\n"
    restored = frame(V + "tensorflow/python/checkpoint/restore.py", "restore")
    assert root(f"{HEAD}{frame('/home/ada/fit.py', 'f')}{restored}{said}").slug == "weight-shape-mismatch"
    layer = frame(V + "keras/src/layers/normalization/layer_normalization.py", "call")
    assert root(f"{HEAD}{frame('/home/ada/fit.py', 'f')}{layer}{said}").slug == "keras-input-mismatch"


def test_what_keras_2_puts_around_a_message_is_no_part_of_it():
    layer = frame(V + "keras/src/layers/normalization/layer_normalization.py", "call")
    said = 'Exception encountered when calling layer "a" (type Norm).\n\nlist index out of range\n\n'
    text = f"{layer}IndexError: {said}Call arguments received by layer: x\n"
    found = root(f"{HEAD}{frame('/home/ada/fit.py', 'f')}{text}")
    assert found.slug == "rank-mismatch"
