"""Which of two graphs that should compute the same is wrong: both are run as they are and in float64.

Where the two agree in float64, they compute the same, and what is far from that in float32 has lost it to rounding
(`|a|^2 + |b|^2 - 2ab` of points far from the origin). Where they do not agree, they compute different things, and which
one is meant is not known here.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .errors import GraphRoomError
from .ir import Input
from .load import Program, load
from .measure import Array, deviation
from .outcome import run_plain
from .step import prepare

SAME = 1e-6
"""Two results in float64 that differ by less, relative to the largest value, are the same quantity."""
_WORSE = 30.0
_LOST = 1e-3
_FLOAT, _DOUBLE = 1, 2


def judged(one: Path, other: Path, *, foreign: bool = False) -> dict[str, Any]:
    """{"apart": the deviation of the outputs, "exact": the same in float64, "lost": [of each from its float64],
    "wrong": 0 or 1 (the graph that rounding spoilt) or None, "why" nothing can be told}, on the values of `one`.

    The largest deviation over the outputs counts. "apart" is None where the two do not take the same inputs.
    """
    try:
        a, b = load(one), load(other)
        if _signature(a.inputs) != _signature(b.inputs) or not a.values:
            return {"apart": None, "why": "they do not take the same inputs"}
        renamed = {j.key: a.values.get(i.key) for i, j in zip(a.inputs, b.inputs, strict=True) if i.key and j.key}
        b = dataclasses.replace(b, values={k: v for k, v in renamed.items() if v is not None}, recipe=a.recipe)
        results = [_outputs(p, foreign) for p in (a, b, doubled(a), doubled(b))]
    except GraphRoomError as error:
        return {"apart": None, "why": str(error)}
    except Exception as error:
        if not type(error).__module__.startswith(("tensorflow", "google")):
            raise
        return {"apart": None, "why": f"{type(error).__name__}: {str(error)[:200]}"}
    return _told(results)


def _told(results: list[list[Array]]) -> dict[str, Any]:
    a, b, exact_a, exact_b = results
    shapes = [[v.shape for v in r] for r in results]
    if not a or any(s != shapes[0] for s in shapes):
        return {"apart": None, "why": "they do not give the same shapes"}
    exact = _largest(exact_a, exact_b)
    lost = [_largest(a, exact_a), _largest(b, exact_b)]
    wrong = None
    if exact <= SAME and max(lost) > _LOST and max(lost) > _WORSE * min(lost):
        wrong = lost.index(max(lost))
    return {
        "apart": _number(_largest(a, b)),
        "exact": _number(exact),
        "lost": [_number(x) for x in lost],
        "wrong": wrong,
    }


def _largest(a: Iterable[Array], b: Iterable[Array]) -> float:
    pairs = list(zip(a, b, strict=True))
    return max(
        (float(deviation(x.astype(y.dtype, copy=False), y)) for x, y in pairs if y.dtype.kind in "fc"), default=0.0
    )


def _number(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _signature(inputs: Iterable[Input]) -> list[Any]:
    return [(i.dtype, i.role, i.shape) for i in inputs]


def _outputs(program: Program, foreign: bool) -> list[Array]:
    step = prepare(program, foreign=foreign)
    if step.filled:
        raise GraphRoomError(f"the value of {step.filled[0]} was not kept")
    told, arrays = run_plain(step)
    if told["outcome"] != "passed":
        raise GraphRoomError(str((told["error"] or {}).get("message")))
    return [v for n, v in arrays.items() if n.startswith("output")]


def doubled(program: Program) -> Program:
    """The same program in float64: every float32 of its graph, its library, its inputs and their values."""
    import tensorflow as tf

    graph = tf.compat.v1.GraphDef()
    graph.CopyFrom(program.graph)
    for nodes in (graph.node, *(f.node_def for f in graph.library.function)):
        for node in nodes:
            _double(node.attr)
    for function in graph.library.function:
        _double(function.attr)
        for argument in (*function.signature.input_arg, *function.signature.output_arg):
            if argument.type == _FLOAT:
                argument.type = _DOUBLE
        for attributes in function.arg_attr.values():
            _double(attributes.attr)
    inputs = tuple(dataclasses.replace(i, dtype=_DOUBLE) if i.dtype == _FLOAT else i for i in program.inputs)
    values = {k: v.astype(np.float64) if v.dtype == np.float32 else v for k, v in program.values.items()}
    return dataclasses.replace(program, graph=graph, inputs=inputs, values=values)


def _double(attributes: Mapping[str, Any]) -> None:
    import tensorflow as tf

    for value in attributes.values():
        if value.type == _FLOAT:
            value.type = _DOUBLE
        for at, listed in enumerate(value.list.type):
            if listed == _FLOAT:
                value.list.type[at] = _DOUBLE
        if value.HasField("tensor") and value.tensor.dtype == _FLOAT:
            array = tf.make_ndarray(value.tensor).astype(np.float64)
            value.tensor.CopyFrom(tf.make_tensor_proto(array))
