"""Ops of the registry: a valid call of each, found by trying, and what it says when one thing of the call is wrong.

A plain generator: tensors of numbers only (no resources, variants or strings). The truth of a message is what was
spoiled: `rank`, `dimension`, `dtype`, `index` or `value`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

SHAPES: tuple[tuple[int, ...], ...] = (
    (),
    (4,),
    (2, 4),
    (4, 4),
    (2, 4, 4),
    (2, 8, 8, 4),
    (2, 4, 8, 8, 4),
    (2,),
    (3, 3, 4, 4),
)
_SMALL = (
    "axis",
    "dim",
    "dims",
    "indices",
    "perm",
    "k",
    "seed",
    "size",
    "shape",
    "num",
    "segment",
    "begin",
    "depth",
    "ids",
)
TRIES = 400


@dataclass(frozen=True)
class Call:
    """One call: the op, its inputs and attributes, and what was spoiled ("" for nothing)."""

    op: str
    inputs: tuple[tuple[str, Any], ...]
    attributes: tuple[tuple[str, Any], ...]
    spoilt: str = ""


def names() -> list[str]:
    """Every op of the registry that has inputs of numbers only, no state and a Python function."""
    import tensorflow as tf
    from tensorflow.python.framework import op_def_registry

    found = []
    for name in sorted(set(dir(tf.raw_ops))):
        op = op_def_registry.get(name)
        if op is None or op.is_stateful or not op.input_arg or any(a.is_ref or a.number_attr for a in op.input_arg):
            continue
        types = [a.type for a in op.input_arg if not a.type_attr and not a.type_list_attr]
        if not any(t in (7, 20, 21) for t in types) and not any(a.type_list_attr for a in op.input_arg):
            found.append(name)
    return found


def base(name: str, run: Any) -> Call | None:
    """The first call that `run` takes, of up to `TRIES`."""
    from tensorflow.python.framework import op_def_registry

    op = op_def_registry.get(name)
    attributes = tuple(_attributes(op))
    if any(value is None for _, value in attributes):
        return None
    slots = [list(_candidates(arg, name)) for arg in op.input_arg]
    for number, values in enumerate(_in_turn(slots)):
        if number >= TRIES:
            return None
        call = Call(name, tuple((arg.name, value) for arg, value in zip(op.input_arg, values, strict=True)), attributes)
        if run(call) is None:
            return call
    return None


def _in_turn(slots: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Equal choices first (element-wise ops), then all together."""
    yield from (tuple(slot[min(i, len(slot) - 1)] for slot in slots) for i in range(max(map(len, slots))))
    yield from product(*slots)


def _candidates(arg: Any, op: str) -> Iterator[Any]:
    small = any(word in arg.name.lower().split("_") or word == arg.name for word in _SMALL)
    dtype = {
        0: None,
        1: np.float32,
        2: np.float64,
        3: np.int32,
        4: np.uint8,
        6: np.int8,
        9: np.int64,
        10: np.bool_,
        8: np.complex64,
    }.get(arg.type)
    if arg.type_attr in ("Tidx", "Tindices", "Tperm", "Tshape", "Tdim", "Tpaddings", "Tmultiples", "Index", "Tlen"):
        small = True
        dtype = np.int32
    whole = small and dtype in (None, np.int32, np.int64)
    if whole:
        kind = dtype or np.int32
        yield from (
            np.asarray(v, kind)
            for v in (0, 1, [0], [1, 0], [0, 1], [0, 1, 2, 3], [4], [2, 4], [[0], [1]], [[1, 1], [1, 1]])
        )
        return
    kind = dtype or (np.int32 if "Bitwise" in op or op in ("Invert", "PopulationCount") else np.float32)
    if "FFT" in op or op in ("Real", "Imag", "Conj", "Angle", "ComplexAbs"):
        kind = np.complex64
    if "Logical" in op:
        kind = np.bool_
    for shape in SHAPES:
        size = int(np.prod(shape))
        values = (
            (np.arange(size).reshape(shape) % 3 == 1)
            if kind is np.bool_
            else np.linspace(0.1, 0.9, size).reshape(shape)
        )
        if len(shape) >= 2 and shape[-1] == shape[-2] and kind in (np.float32, np.float64):
            values = values + 4 * np.eye(shape[-1])
        yield values.astype(kind)


def _attributes(op: Any) -> Iterator[tuple[str, Any]]:
    inferred = {a.type_attr for a in op.input_arg} | {a.number_attr for a in op.input_arg}
    known = {
        "ksize": [1, 2, 2, 1],
        "strides": [1, 1, 1, 1],
        "padding": "SAME",
        "ksizes": [1, 2, 2, 1],
        "rates": [1, 1, 1, 1],
        "block_size": 2,
        "equation": "ij,jk->ik",
        "N": 2,
        "num_split": 2,
        "num": 2,
        "message": "m",
        "T": 1,
        "dtype": 1,
        "out_type": 1,
        "DstT": 3,
        "type": 1,
        "Tout": 8,
        "shape": [2, 4],
        "stride": 2,
    }
    for attr in op.attr:
        if attr.name in inferred or attr.HasField("default_value"):
            continue
        value = known.get(attr.name)
        if attr.name in ("ksize", "strides") and "3D" in op.name:
            value = [1, 1, 1, 1, 1]
        yield attr.name, value


def spoilt(call: Call) -> Iterator[Call]:
    """The call with one thing wrong, several ways."""
    for number, (name, value) in enumerate(call.inputs):
        for what, other in _spoil(name, value):
            inputs = (*call.inputs[:number], (name, other), *call.inputs[number + 1 :])
            yield Call(call.op, inputs, call.attributes, what)


def _spoil(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if value.ndim:
        yield "rank", value[0]
        yield "dimension", np.concatenate([value, value[:1]], 0)
        yield "dimension", np.concatenate([value, value[..., :1]], -1)
        yield "dimension", value[:0]
    yield "rank", value[None]
    yield "rank", value[None, None, None]
    if value.dtype.kind in "iu":
        yield "index", np.full_like(value, 97)
        yield "index", np.full_like(value, -98)
        yield "dtype", value.astype(np.float32)
    else:
        yield "dtype", value.astype(np.int32)
        yield "dtype", value.astype(np.complex64)
