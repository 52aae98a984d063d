"""Valid calls of common ops, in place of what a search would find: the search knows no rule of shapes, and stops at the
first call that passes, which for these has empty tensors or none.
"""

from __future__ import annotations

from typing import Any

from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import BOOL, FLOAT, INT32, Value

_IMAGES = Value(FLOAT, (2, 8, 8, 4))
_VOLUMES = Value(FLOAT, (2, 4, 8, 8, 4))
_KERNEL = Value(FLOAT, (3, 3, 4, 4))
_TABLE = Value(FLOAT, (2, 4))
_AXIS = Value(INT32, (1,), "1")


def _call(op: str, attributes: dict[str, Any] | None = None, **inputs: Value | tuple[Value, ...]) -> Call:
    return Call(op, tuple(inputs.items()), tuple((attributes or {}).items()))


def _sizes(*sizes: int) -> Value:
    """A vector of sizes that `Value` can fill: all alike, or 0, 1, 2, ..."""
    return Value(INT32, (len(sizes),), "iota" if sizes == tuple(range(len(sizes))) else str(sizes[0]))


_SLICE: dict[str, Any] = {"begin": _sizes(0), "end": Value(INT32, (1,), "2"), "strides": Value(INT32, (1,), "1")}
_SAME = {"strides": [1, 1, 1, 1], "padding": "SAME"}
_WINDOW = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
_WINDOW_3D = {"ksize": [1, 2, 2, 2, 1], "strides": [1, 2, 2, 2, 1], "padding": "VALID"}
_POOLED, _POOLED_3D = Value(FLOAT, (2, 4, 4, 4)), Value(FLOAT, (2, 2, 4, 4, 4))
CALLS = {
    call.op: call
    for call in (
        *(_call(op, input=_TABLE, axis=_AXIS) for op in ("Sum", "Mean", "Prod", "Max", "Min")),
        *(_call(op, input=Value(BOOL, (2, 4)), axis=_AXIS) for op in ("All", "Any")),
        _call("ExpandDims", input=_TABLE, axis=Value(INT32, (), "1")),
        _call("Split", {"num_split": 2}, axis=Value(INT32, (), "1"), value=_TABLE),
        _call("SplitV", {"num_split": 2}, value=_TABLE, size_splits=_sizes(2, 2), axis=Value(INT32, (), "1")),
        _call("StridedSlice", input=_TABLE, **_SLICE),
        _call("StridedSliceGrad", shape=Value(INT32, (2,), "2"), **_SLICE, dy=Value(FLOAT, (2, 2))),
        _call("TensorStridedSliceUpdate", input=_TABLE, **_SLICE, value=Value(FLOAT, (2, 4), "reversed")),
        _call("Where", condition=_TABLE),
        _call("ScatterNd", indices=Value(INT32, (2, 1), "iota"), updates=_TABLE, shape=_sizes(4, 4)),
        _call("Select", condition=Value(BOOL, (2, 4)), x=_TABLE, y=Value(FLOAT, (2, 4), "reversed")),
        _call("Reverse", tensor=_TABLE, dims=Value(BOOL, (2,))),
        _call("Conv2D", _SAME, input=_IMAGES, filter=_KERNEL),
        _call("DepthwiseConv2dNative", _SAME, input=_IMAGES, filter=Value(FLOAT, (3, 3, 4, 1))),
        _call("AvgPool3D", _WINDOW_3D, input=_VOLUMES),
        _call("MaxPoolGrad", _WINDOW, orig_input=_IMAGES, orig_output=_POOLED, grad=_POOLED),
        _call("MaxPool3DGrad", _WINDOW_3D, orig_input=_VOLUMES, orig_output=_POOLED_3D, grad=_POOLED_3D),
    )
}
