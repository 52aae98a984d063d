"""Fragments of messages by which a line is known as an error, or as a warning worth keeping, when it stands alone.

A person often pastes only the message. These are constant parts of format strings in TensorFlow, XLA and Keras
(the rules name
the sources); a line that holds none of them and is no traceback, status or death notice is not looked at further. Each
must hold one of `literals.LITERALS`, or it is never found in a large log (a test says which does not).
"""

from __future__ import annotations

from collections.abc import Iterable

from xladoctor.patterns import pattern

_ERRORS = (
    "values, but the requested shape",
    "Cannot reshape a tensor with",
    "ncompatible shapes",
    "Dimensions must be equal",
    "imensions of inputs should match",
    "Shapes of all inputs must match",
    "Matrix size-incompatible",
    "required broadcastable shapes",
    "must be a compile-time constant",
    "Asked to propagate a dynamic dimension",
    "RET_CHECK failure",
    "Dynamic input unexpectedly found",
    "Detected unsupported operations",
    "No registered '",
    "JIT compilation failed",
    "OOM when allocating",
    "RESOURCE_EXHAUSTED",
    "CUDA_ERROR_",
    "tf2xla conversion failed",
    "is incompatible with the layer",
    "Shape must be rank",
    "Shape must be at least rank",
    "loop body do not match",
    "libdevice not found",
    "find libdevice",
    "Can't find libdevice",
    "std::bad_alloc",
    "Check failed:",
    "No algorithm worked",
    "Failed to get convolution algorithm",
    "DNN library is not found",
    "OP_REQUIRES failed",
    "fixed tensor list size",
    "crossing the XLA/TF boundary",
    "No such file or directory: '",
    # The tail of every error that an eagerly run op raises (tensorflow/python/eager/execute.py).
    "[Op:",
    "must have the same size and shape",
    "must be broadcastable",
    "could not be broadcast",
    "both shapes must be equal",
    "Cannot concatenate arrays that differ",
    "matching shapes except for the concatenation axis",
    "Cannot batch tensors with different shapes",
    "Cannot add tensor to the batch",
    "evenly divisible by filter depth",
    "is not a multiple of input depth of filter",
    "due to downsampling in",
    "output size would be zero or negative",
    "of the input shaped",
    "ndims must be",
    "Tried to expand dim index",
    "Invalid reduction dimension",
    "Can not squeeze dim",
    "transpose expects a vector of size",
    "does not index into param shape",
    "slice index ",
    "Expected begin[",
    "Expected size[",
    "Number of ways to split should evenly divide",
    "outside the valid range of [",
    "is not compatible with expected shape",
    "is not compatible with provided weight shape",
    ") are incompatible",
    "Data cardinality is ambiguous",
    "input(s), but it received",
    "input(s) with keys",
    "must have the same shape. Received: target",
    "must have rank (ndim) `target.ndim - 1`",
    "Incompatible input shapes: axis values",
    "Cannot assign value to variable",
    "with a weight list of length",
    "variables during loading",
    "the saved weight",
    "load a weight file containing",
    "objects could not be loaded",
    "_pad in Pad op has to be static",
    "Fail to proof the equality of two dimensions",
    "is not compilable",
    "must also be initialized in the",
    "true_fn and false_fn",
    "before the loop, but shape",
    "before the loop, but dtype",
    "enters the loop with shape",
    "singleton tf.Variables created on the first call",
    "variables on a non-first call",
    "failed to lift variable creations",
    "Trying to access resource",
    "eterministic GPU implementation of",
    "require a seed to be set when determinism",
    "to read flags for environment variable",
    "Unknown flag",
    "ut of memory while trying to allocate",
    "Unable to allocate",
    "create cudnn handle",
    "Loaded runtime CuDNN library",
    "ptxas returned an error",
    "ptxas exited with",
    "ptxas not found",
    "was expected to be a",
    "the list of allowed values",
    "not in list of allowed values",
    "Tensor conversion requested dtype",
    "an not cast TensorSpec",
    "Ran out of memory in memory space",
    # The allocator lists what it holds only where it has no more to give.
    "otal_region_allocated_bytes_: ",
    "rpret value ",
    " Op has type ",
    " Op have types [",
    "Unsupported object type",
)
_WARNINGS = (
    "triggered tf.function retracing",
    "low compile?",
    "Very slow compile",
    "folding an instruction is taking",
    "The operation took ",
    "libdevice is required",
    "Couldn't get ptxas version",
    "loss: nan",
    "val_loss: nan",
)
# `indices[0,3] = 12 is not in [0, 10)` (tensorflow/core/kernels/gather_op.cc, scatter_nd_op.cc).
_INDEX = pattern(r"\w{1,30}\[[\d,]{1,60}\] = (?:-?\d{1,18}|\[[-\d, ]{1,60}\]) (?:is not in \[|does not index into)")
# What TensorFlow says of a machine when it starts; none of it goes on in the next line.
_STARTUP = pattern(
    r"failed call to cuInit|Unable to register cu\w+ factory|Could not (?:find|load) (?:cuda|TensorRT|dynamic library)"
    r"|computation placer already registered|Cannot dlopen some GPU libraries"
)
# `FILE:LINE: UserWarning: ...`, `WARNING:tensorflow:...`, `W...` of a logger.
_MARKED = pattern(r"(?:\S.{0,300}?:\d{1,7}: )?\w{0,40}Warning: |WARNING\b|(?:[\w.:,\- ]{1,60} )?WARNING[: ]")
_EXCUSED = ("Unable to register cu",)


def speaks(text: str) -> bool:
    """Whether a line by itself states an error of TensorFlow, XLA or Keras."""
    return (any(map(text.__contains__, _ERRORS)) or _names_index(text)) and not any(map(text.__contains__, _EXCUSED))


def _names_index(text: str) -> bool:
    return "] = " in text and _INDEX.search(text) is not None


def may_speak(zeros: str) -> bool:
    """Whether any line that differs from this one in digits only could state an error; here every digit is a zero."""
    return any(map(zeros.__contains__, _ERRORS_ZEROS)) or _names_index(zeros)


def zeros(text: str) -> str:
    """A text with a zero for every digit."""
    return text.translate(_TO_ZEROS)


_TO_ZEROS = {ord("0") + at: "0" for at in range(10)}
_ERRORS_ZEROS = tuple(map(zeros, _ERRORS))


def warns(text: str, literals: Iterable[str] = ()) -> bool:
    """Whether a line by itself states a warning that a rule knows: by our words, or by those of a class (`literals`) in
    a line that Python's `warnings` or a logger marks as one.
    """
    if any(part in text for part in _WARNINGS):
        return True
    return any(literal in text for literal in literals) and _MARKED.match(text) is not None


def starts_up(text: str) -> bool:
    """Whether a line of the runtime tells of the machine on which it starts."""
    return _STARTUP.search(text) is not None


def is_grave(text: str) -> bool:
    """Whether a line of the runtime below the level E tells of a failure: of an op, or of an allocator that is full."""
    return "OP_REQUIRES failed" in text or "otal_region_allocated_bytes_: " in text
