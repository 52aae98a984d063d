"""Fragments of messages by which a line is known as an error, or as a warning worth keeping, when it stands alone.

A person often pastes only the message. These are constant parts of format strings in TensorFlow, XLA and Keras
(the rules name
the sources); a line that holds none of them and is no traceback, status or death notice is not looked at further.
"""

from __future__ import annotations

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
)
_WARNINGS = (
    "triggered tf.function retracing",
    "low compile?",
    "Very slow compile",
    "folding an instruction is taking",
    "The operation took ",
    "libdevice is required",
    "loss: nan",
    "val_loss: nan",
)
_EXCUSED = ("Unable to register cu",)


def speaks(text: str) -> bool:
    """Whether a line by itself states an error of TensorFlow, XLA or Keras."""
    return any(part in text for part in _ERRORS) and not any(part in text for part in _EXCUSED)


def warns(text: str) -> bool:
    """Whether a line by itself states a warning that a rule knows."""
    return any(part in text for part in _WARNINGS)
