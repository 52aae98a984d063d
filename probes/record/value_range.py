"""Between which numbers the values of a tensor in a graph lie, whatever the data are: read from its ops."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

_DEPTH = 16
_UNIT = frozenset({"Sigmoid", "Softmax"})
_SAME = frozenset(
    {
        "BroadcastTo",
        "Cast",
        "EnsureShape",
        "ExpandDims",
        "Gather",
        "GatherV2",
        "Identity",
        "IdentityN",
        "Max",
        "Mean",
        "Min",
        "Reshape",
        "Squeeze",
        "StopGradient",
        "StridedSlice",
        "Tile",
        "Transpose",
    }
)
"""What makes no number that lies outside of those that it was given."""


_RULES: dict[str, Callable[[float, float], float]] = {
    "Add": operator.add,
    "AddV2": operator.add,
    "Mul": operator.mul,
    "RealDiv": operator.truediv,
    "Sub": operator.sub,
}


def range_of(tensor: Any, depth: int = _DEPTH) -> tuple[float, float] | None:
    """(least, most), or None where nothing bounds it on one of the sides. A constant has no range."""
    if depth < 0:
        return None
    op = tensor.op
    kind, inputs = str(op.type), list(op.inputs)
    if kind in _UNIT:
        return 0.0, 1.0
    if kind in _SAME and inputs:
        return range_of(inputs[0], depth - 1)
    if kind in ("ConcatV2", "Pack"):
        return _all_of([range_of(t, depth - 1) for t in (inputs[:-1] if kind == "ConcatV2" else inputs)])
    if kind == "ClipByValue":
        return range_of(inputs[0], depth - 1)
    if len(inputs) != 2:
        return None
    return _of_two(kind, inputs[0], inputs[1], depth)


def _of_two(kind: str, one: Any, other: Any, depth: int) -> tuple[float, float] | None:
    left, right = _constant(one), _constant(other)
    first = range_of(one, depth - 1) if left is None else (left, left)
    second = range_of(other, depth - 1) if right is None else (right, right)
    if (left is not None and right is not None) or first is None or second is None:
        return None
    if kind in ("Maximum", "Minimum"):
        known = [r for r, number in ((first, left), (second, right)) if number is None]
        return _all_of(known)
    if kind == "RealDiv" and not right:
        return None
    rule = _RULES.get(kind)
    ends = [rule(a, b) for a in first for b in second] if rule is not None else []
    return (min(ends), max(ends)) if ends else None


def _all_of(ranges: Any) -> tuple[float, float] | None:
    known = [r for r in ranges if r is not None]
    return (min(r[0] for r in known), max(r[1] for r in known)) if known and len(known) == len(ranges) else None


def _constant(tensor: Any) -> float | None:
    """The number of a constant that is one."""
    for _ in range(3):
        if str(tensor.op.type) == "Const":
            value = sys.modules["tensorflow"].get_static_value(tensor)
            return float(value) if value is not None and getattr(value, "size", 0) == 1 else None
        if str(tensor.op.type) not in ("Cast", "Identity") or not len(tensor.op.inputs):
            return None
        tensor = tensor.op.inputs[0]
    return None
