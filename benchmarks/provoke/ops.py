"""Ops of the registry: which are asked, and a valid call with one thing wrong.

The truth of a message is what was spoiled: `rank`, `dimension`, `dtype`, `index` or `count`.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import FLOAT, RESOURCE, STRING, VARIANT, Value


def names() -> list[str]:
    """Every op of the registry that keeps no state, has a kernel for the CPU and a Python function."""
    import tensorflow as tf
    from tensorflow.python.framework import kernels

    found = []
    for name in sorted(set(dir(tf.raw_ops))):
        op = definition(name)
        if op is None or op.is_stateful:
            continue
        registered = kernels.get_registered_kernels_for_op(name).kernel
        if any(kernel.device_type == "CPU" for kernel in registered):
            found.append(name)
    return found


def definition(name: str) -> Any:
    """The OpDef of a name, or None."""
    from tensorflow.python.framework import op_def_registry

    if hasattr(op_def_registry, "get"):
        return op_def_registry.get(name)
    return op_def_registry.get_registered_ops().get(name)  # TensorFlow 1


def unfit(op: Any) -> str:
    """Why an op cannot be called eagerly with plain values; empty where it can."""
    if any(arg.is_ref for arg in (*op.input_arg, *op.output_arg)):
        return "reference variables"
    if any(arg.type == RESOURCE for arg in op.input_arg):
        return "resources"
    return ""


@lru_cache(maxsize=4)
def renamed(name: str) -> dict[str, str]:
    """Inputs that have another name in Python than in the registry."""
    import tensorflow as tf

    op = definition(name)
    parameters = list(inspect.signature(getattr(tf.raw_ops, name)).parameters)
    known = {arg.name for arg in op.input_arg} | {attr.name for attr in op.attr} | {"name"}
    other = [parameter for parameter in parameters if parameter not in known]
    return dict(zip((arg.name for arg in op.input_arg if arg.name not in parameters), other))  # noqa: B905


def arguments(call: Call) -> dict[str, Any]:
    """What is handed to the op's Python function."""
    given: dict[str, Any] = {}
    names = renamed(call.op)
    for key, value in call.inputs:
        name = names.get(key, key)
        given[name] = value.tensor() if isinstance(value, Value) else _listed(value)
    for name, attribute in call.attributes:
        given[name] = _function() if attribute == "func" else attribute
    return given


def _listed(values: Any) -> list[Any]:
    return [value.tensor() for value in values]


def _function() -> Any:
    """A function for the ops that take one: what it gets, it gives."""
    import tensorflow as tf

    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([], tf.int64)]).get_concrete_function()


def spoilt(call: Call) -> Iterator[Call]:
    """The call with one thing wrong, several ways."""
    for number, (name, value) in enumerate(call.inputs):
        for what, other in _spoil(value):
            yield replace(call, inputs=(*call.inputs[:number], (name, other), *call.inputs[number + 1 :]), spoilt=what)


def _spoil(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, tuple):
        for what, other in _spoil(value[-1]):
            yield what, (*value[:-1], other)
        return
    if value.dtype == VARIANT:
        return
    shape = value.shape
    if shape:
        yield "rank", replace(value, shape=shape[1:])
        yield "dimension", replace(value, shape=(shape[0] + 1, *shape[1:]))
        if len(shape) > 1:
            yield "dimension", replace(value, shape=(*shape[:-1], shape[-1] + 1))
        yield "dimension", replace(value, shape=(0, *shape[1:]))
    yield "rank", replace(value, shape=(1, *shape))
    yield "rank", replace(value, shape=(1, 1, 1, *shape))
    if value.dtype == STRING:
        yield "dtype", replace(value, dtype=FLOAT, fill="ramp")
        return
    kind = value.array().dtype.kind
    if kind in "iu":
        yield "index", replace(value, fill="97")
        yield "index", replace(value, fill="-98")
        yield "dtype", replace(value, dtype=FLOAT)
    elif kind == "f":
        yield "dtype", replace(value, dtype=3, fill="1")
        yield "dtype", replace(value, dtype=8)


def to_json(call: Call) -> str:
    """A call as text."""
    inputs = [
        [name, [[v.dtype, v.shape, v.fill] for v in (value if isinstance(value, tuple) else (value,))],
         isinstance(value, tuple)]
        for name, value in call.inputs
    ]  # fmt: skip
    return json.dumps([call.op, inputs, call.attributes], default=_plain)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else str(value)


def from_json(text: str) -> Call:
    """The call of such a text."""
    op, inputs, attributes = json.loads(text)
    made = []
    for name, values, listed in inputs:
        whole = tuple(Value(dtype, tuple(shape), fill) for dtype, shape, fill in values)
        made.append((name, whole if listed else whole[0]))
    return Call(op, tuple(made), tuple((name, value) for name, value in attributes))
