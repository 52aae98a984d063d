"""Inputs at the edges of what an op takes, made from one valid call of it.

An edge changes one input (or all inputs together, where they must have the same type or rows) and leaves the rest of
the call as it is. What the op then does is what the atlas records: to raise an error is an answer, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import BFLOAT16, BOOL, HALF, KINDS, STRING, VARIANT, WHOLE, Value

Arrays = dict[str, Any]
"""The elements of each input: an array, or a list of arrays where the op takes a list of tensors."""
FLOATS = (1, 2, HALF, BFLOAT16)
_UNSIGNED = (4, 17, 22, 23)
_INDEX = re.compile(r"(?:^|_)(?:indices|index|ids?|segment\w*|splits?|perm|begin|locations|positions)(?:$|_)")
_CONTROL = re.compile(
    r"(?:^|_)(?:axis|axes|dims?|dimension|shape|sizes?|paddings?|multiples|strides|end|crops|block|depth|num\w*|k|seed)(?:$|_)"
)


@dataclass(frozen=True)
class Edge:
    """One variation: its kind, the input that is varied ("" for all), the arrays, and whether the first axis of the
    varied inputs is bounded (`dynamic`): its size is known at run time only.
    """

    kind: str
    argument: str
    arrays: Arrays
    dynamic: bool = False


def base_arrays(call: Call) -> Arrays:
    """The arrays of the valid call."""
    return {name: _array(v) if isinstance(v, Value) else [_array(one) for one in v] for name, v in call.inputs}


def _array(value: Value) -> Any:
    """The elements of an input; a handle has none."""
    return value.array() if value.dtype != VARIANT else None


def edges(call: Call, *, rows: bool = True) -> Iterator[Edge]:
    """The valid call first, then each variation of it; those of the number of `rows` compile anew."""
    arrays = base_arrays(call)
    yield Edge("valid", "", arrays)
    for name, value in call.inputs:
        first = value if isinstance(value, Value) else value[0]
        if first.dtype in (STRING, VARIANT):
            continue
        for kind, array in _elements(name, first):
            changed = array if isinstance(value, Value) else [array, *arrays[name][1:]]
            yield Edge(kind, name, {**arrays, name: changed})
    yield from _strides(call, arrays)
    if rows:
        yield from _rows(call, arrays)


def _elements(name: str, value: Value) -> Iterator[tuple[str, Any]]:
    """Other elements in an array of the same shape."""
    array = value.array()
    if not array.size:
        return
    if value.dtype in FLOATS or value.dtype in (8, 18):
        yield from _real(array)
    elif value.dtype == BOOL:
        yield "all-false", np.zeros_like(array)
        yield "all-true", np.ones_like(array)
    elif value.dtype in WHOLE:
        if _INDEX.search(name.lower()):
            yield from _indices(array, signed=value.dtype not in _UNSIGNED)
        elif not _CONTROL.search(name.lower()):
            yield from _whole(array)


def _real(array: Any) -> Iterator[tuple[str, Any]]:
    kind = np.finfo(array.dtype)
    middle = array.size // 2
    for name, element in (("nan", np.nan), ("infinity", np.inf), ("negative-infinity", -np.inf)):
        yield name, _with(array, middle, element)
    yield "zeros", np.zeros_like(array)
    yield "negative-zero", np.full_like(array, -0.0)
    yield "denormal", np.full_like(array, kind.tiny / 4)
    yield "huge", np.full_like(array, kind.max / 2)
    yield "ties", np.full_like(array, 0.5)
    yield "negative", -array
    yield "nan-everywhere", np.full_like(array, np.nan)


def _with(array: Any, at: int, element: float) -> Any:
    flat = array.ravel().copy()
    flat[at] = element
    return flat.reshape(array.shape)


def _indices(array: Any, *, signed: bool) -> Iterator[tuple[str, Any]]:
    yield "index-too-large", _with(array, array.size // 2, 97)
    yield "index-duplicates", np.zeros_like(array)
    if signed:
        yield "index-negative", _with(array, array.size // 2, -1)
        yield "index-far-negative", _with(array, array.size // 2, -97)


def _whole(array: Any) -> Iterator[tuple[str, Any]]:
    kind = np.iinfo(array.dtype)
    yield "integer-maximum", np.full_like(array, kind.max)
    yield "integer-minimum", np.full_like(array, kind.min)
    yield "zeros", np.zeros_like(array)
    yield "ties", np.ones_like(array)
    if kind.min < 0:
        yield "negative", -array - 1


def _rows(call: Call, arrays: Arrays) -> Iterator[Edge]:
    """Other numbers of rows: of all inputs that have as many rows as the first one with an axis."""
    rowed = [n for n, v in call.inputs if isinstance(v, Value) and v.shape and v.dtype not in (STRING, VARIANT)]
    rowed = [n for n in rowed if not _CONTROL.search(n.lower())]
    if not rowed:
        return
    rows = len(arrays[rowed[0]])
    alike = [n for n in rowed if len(arrays[n]) == rows]
    yield Edge("empty", "", {**arrays, **{n: arrays[n][:0] for n in alike}})
    if rows > 1:
        yield Edge("one-row", "", {**arrays, **{n: arrays[n][:1] for n in alike}})
    yield Edge("bounded-rows", "", arrays, dynamic=True)
    floats = [n for n in alike if dict(call.inputs)[n].dtype in FLOATS]  # type: ignore[union-attr]
    if floats and arrays[floats[0]].ndim == 1:
        long = np.linspace(0.1, 0.9, 4099)
        yield Edge("long", "", {**arrays, **{n: long.astype(arrays[n].dtype) for n in floats}})


def _strides(call: Call, arrays: Arrays) -> Iterator[Edge]:
    """A slice of all rows backwards, of one row by a stride beyond the end, and by no stride; what is put into it, or
    the gradient of it, has as many rows.
    """
    if not {"begin", "end", "strides"} <= set(arrays):
        return
    rows = int(arrays["end"][0])
    written = [name for name in ("value", "dy") if name in arrays]
    for kind, stride in (
        ("stride-negative", -1),
        ("stride-long", 97),
        ("stride-long-negative", -97),
        ("stride-zero", 0),
    ):
        first, end = (-1, -rows - 1) if stride < 0 else (0, rows)
        given = {"begin": first, "end": end, "strides": stride}
        changed = {name: np.full_like(arrays[name], element) for name, element in given.items()}
        if abs(stride) > rows:
            changed |= {name: arrays[name][:1] for name in written}
        yield Edge(kind, "strides", {**arrays, **changed})


def with_other_strides(call: Call) -> Iterator[tuple[Call, Edge]]:
    """The calls of a window with strides beyond its pictures, and below zero, where the strides are an attribute."""
    for kind, stride in (("stride-long", 97), ("stride-negative", -1)):
        attributes = tuple(
            (key, [value[0], *[stride] * (len(value) - 2), value[-1]] if key == "strides" else value)
            for key, value in call.attributes
        )
        if attributes != call.attributes:
            yield Call(call.op, call.inputs, attributes), Edge(kind, "strides", base_arrays(call))


def typed(call: Call, name: str, dtype: int) -> Call | None:
    """The call with another element type for all inputs that have the type of the input `name`, or None."""
    inputs = dict(call.inputs)
    one = inputs[name]
    old = (one if isinstance(one, Value) else one[0]).dtype
    if dtype not in KINDS:
        return None
    made = []
    for key, value in call.inputs:
        values = (value,) if isinstance(value, Value) else value
        changed = tuple(Value(dtype, v.shape, v.fill) if v.dtype == old else v for v in values)
        made.append((key, changed[0] if isinstance(value, Value) else changed))
    attributes = tuple(
        (key, dtype if value == old and key.startswith("T") else value) for key, value in call.attributes
    )
    return Call(call.op, tuple(made), attributes)
