"""What the analysis knows of TensorFlow's functions, by canonical name without `tensorflow.`.

Measured with 2.15.1, 2.19.1 and 2.21.0 on a CPU (docs/lint.md); tests/xladoctor/lint/test_reality.py holds it against
the installed version.
"""

from __future__ import annotations

SHAPE_ARGUMENTS: dict[str, tuple[tuple[int, str], ...]] = {
    "range": ((0, "start"), (1, "limit"), (2, "delta")),
    "repeat": ((1, "repeats"),),
    "tile": ((1, "multiples"),),
    "fill": ((0, "dims"),),
    "zeros": ((0, "shape"),),
    "ones": ((0, "shape"),),
    "reshape": ((1, "shape"),),
    "broadcast_to": ((1, "shape"),),
    "one_hot": ((1, "depth"),),
    "eye": ((0, "num_rows"), (1, "num_columns")),
    "linspace": ((2, "num"),),
    "pad": ((1, "paddings"),),
    "scatter_nd": ((2, "shape"),),
    "unsorted_segment_sum": ((2, "num_segments"),),
    "unsorted_segment_mean": ((2, "num_segments"),),
    "unsorted_segment_max": ((2, "num_segments"),),
    "unsorted_segment_min": ((2, "num_segments"),),
    "random.uniform": ((0, "shape"),),
    "random.normal": ((0, "shape"),),
    "random.truncated_normal": ((0, "shape"),),
    "random.stateless_uniform": ((0, "shape"),),
    "random.stateless_normal": ((0, "shape"),),
}
"""Arguments that set the shape of the result: position and name."""

GROWS = frozenset({"boolean_mask", "unique", "unique_with_counts"})
"""The size of the result depends on the data; `where` and `x[mask]` do too."""

FFT = frozenset(
    f"signal.{name}"
    for name in ("fft", "ifft", "rfft", "irfft", "fft2d", "ifft2d", "rfft2d", "irfft2d", "fft3d", "ifft3d", "rfft3d",
                 "irfft3d", "fftnd", "ifftnd", "rfftnd", "irfftnd", "stft", "inverse_stft")
)  # fmt: skip

KEEPS_ROWS = frozenset(
    [
        "identity",
        "cast",
        "stop_gradient",
        "abs",
        "square",
        "sqrt",
        "exp",
        "log",
        "sin",
        "cos",
        "tanh",
        "sigmoid",
        "sign",
        "negative",
        "conj",
        "real",
        "imag",
        "angle",
        "round",
        "floor",
        "ceil",
        "clip_by_value",
        "ensure_shape",
        "zeros_like",
        "ones_like",
        "complex",
        "maximum",
        "minimum",
        "add",
        "subtract",
        "multiply",
        "divide",
        "nn.relu",
        "nn.softmax",
        "nn.sigmoid",
        "nn.tanh",
        "nn.gelu",
        "nn.silu",
        "nn.conv2d",
        "nn.avg_pool2d",
        "nn.max_pool2d",
        "nn.bias_add",
        "pow",
        "signal.fft",
        "signal.ifft",
        "signal.fft2d",
        "signal.ifft2d",
        "signal.fft3d",
        "signal.ifft3d",
        "where",
        "map_fn",
        "vectorized_map",
        "math.is_finite",
        "is_nan",
        "logical_not",
        "checked",
    ]
)
"""The result has the rows of the first tensor among the arguments (broadcasting against one row aside)."""

HOST: dict[str, str] = {
    "print": "StringFormat, PrintV2",
    "Print": "Print",
    "py_function": "EagerPyFunc",
    "numpy_function": "PyFunc",
    "py_func": "PyFunc",
    "timestamp": "Timestamp",
    "as_string": "AsString",
    "io.read_file": "ReadFile",
    "io.write_file": "WriteFile",
    "io.decode_raw": "DecodeRaw",
    "io.decode_image": "DecodeImage",
    "io.decode_jpeg": "DecodeJpeg",
    "io.decode_png": "DecodePng",
    "io.parse_example": "ParseExampleV2",
    "io.parse_single_example": "ParseSingleExample",
    "sets.difference": "DenseToDenseSetOperation",
    "sets.intersection": "DenseToDenseSetOperation",
    "sets.union": "DenseToDenseSetOperation",
    "eig": "Eig",
    "eigvals": "Eig",
    "lu": "Lu",
    "segment_sum": "SegmentSum",
    "segment_mean": "SegmentMean",
    "segment_max": "SegmentMax",
    "segment_min": "SegmentMin",
    "sparse.sparse_dense_matmul": "SparseTensorDenseMatMul",
    "image.crop_and_resize": "CropAndResize",
}
"""Functions with an op that has no XLA kernel, and that op; every `strings.` function is one of them too."""

ON_HOST = frozenset({"py_function", "numpy_function", "py_func"})
"""Their Python function runs outside the graph."""

CHECKS = frozenset({"Assert", "debugging.Assert", "debugging.check_numerics", "check_numerics"})
CHECKS_BEGIN = ("debugging.assert_", "assert_")
"""Checks that XLA leaves out."""

RANDOM_BEGIN = ("random.", "random_", "image.stateless_random")
REDUCTIONS_BEGIN = "reduce_"

_NAMESPACES = ("nn", "signal", "random", "image", "strings", "bitwise", "quantization", "raw_ops")
_STATIC = frozenset(
    {"rank", "get_static_value", "compat.dimension_value", "as_dtype", "broadcast_static_shape", "is_tensor"}
)

BUILTIN_STATIC = frozenset(
    [
        "len",
        "int",
        "float",
        "bool",
        "str",
        "range",
        "list",
        "tuple",
        "dict",
        "set",
        "isinstance",
        "hasattr",
        "type",
        "id",
        "repr",
        "hash",
        "ord",
        "chr",
    ]
)


def host_op(name: str) -> str | None:
    """The op without an XLA kernel that a function of TensorFlow makes, if it does."""
    if name.startswith("strings."):
        return f"a string op ({name.partition('.')[2]})"
    return HOST.get(name)


def is_check(name: str) -> bool:
    """Whether a function of TensorFlow is a check that XLA leaves out."""
    return name in CHECKS or name.startswith(CHECKS_BEGIN)


def is_static(name: str) -> bool:
    """Whether a function of TensorFlow gives something that is known while tracing."""
    return name in _STATIC or name in ("TensorShape", "TensorSpec")


def computes(name: str) -> bool:
    """Whether the result of a function of TensorFlow is a tensor computed from the values of its arguments.

    Of `tf.nest`, `tf.data` and the like nothing is known, nor of classes.
    """
    space, _, last = name.rpartition(".")
    return (not space or space in _NAMESPACES) and (last[:1].islower() or last == "Variable")


def plain(name: str | None) -> str | None:
    """The name without `tensorflow.`; None for what is not TensorFlow's."""
    return name[len("tensorflow.") :] if name and name.startswith("tensorflow.") else None
