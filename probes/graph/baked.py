"""Shapes that come from values: where XLA bakes an argument's value into the program, and compiles again for another.

XLA needs some inputs of some ops as constants. Where such an input is computed from an argument of the compiled
function (or from a variable), the value of this call is taken, and each new value compiles anew; tracing counters do
not show it (tensorflow/compiler/tf2xla/const_analysis.cc: such arguments become compile-time constants of the cluster).
What is computed from shapes alone is the same for all values.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import compiled
from .inline import flatten
from .ir import Graph, Region, inputs_of, reach, split
from .load import Program, as_dtype
from .outcome import closed
from .step import Step

# Their result is known from shapes (tf2xla/const_analysis.cc: metadata ops).
METADATA = frozenset({"Rank", "Shape", "ShapeN", "Size", "TensorListElementShape", "BroadcastGradientArgs"})
_MAX = 20
_RECOMPILES = 5.0

Table = Mapping[str, Mapping[str, str]]


def baked(program: Program, table: Table) -> list[dict[str, Any]]:
    """Every constant input in a function under XLA that is computed from an argument's or a variable's value.

    `table` says which inputs of which ops must be constant: {op: {argument: position, "1+N" behind a list}}. Returns
    [{"node", "path", "function", "op", "argument", "from": [{"kind" (argument or variable), "name", "shape"}],
    "sources", "call_sources"}], in program order, one for each place in the user's code, the first 20.
    """
    graph = flatten(program, calls=True)
    regions = [r for r in graph.regions if r.xla]
    if program.xla:
        regions = [Region((), "", True, (), tuple(f"{i.name}:0" for i in graph.inputs), graph.outputs)]
    captured = {i.name for i in graph.inputs if i.captured}
    found: list[dict[str, Any]] = []
    seen: set[Any] = set()
    for name, node in graph.nodes.items():
        if node.op not in table:
            continue
        origin = graph.origins[name]
        region = next((r for r in regions if origin.path[: len(r.path)] == r.path), None)
        if region is None:
            continue
        for argument, position in table[node.op].items():
            for at in _positions(position, len(node.inputs)):
                given = _given(graph, node.inputs[at], region, captured)
                if not given:
                    continue
                sources = program.frames(origin.function, origin.node)
                key = (node.op, argument, str(sources[-1:]), tuple(sorted(g["name"] for g in given)))
                if key in seen or len(found) >= _MAX:
                    continue
                seen.add(key)
                found.append(
                    {
                        "node": "/".join((*origin.path, origin.node)),
                        "path": list(origin.path),
                        "function": origin.function,
                        "op": node.op,
                        "argument": argument,
                        "from": given,
                        "sources": sources,
                        "call_sources": [program.frames(f, n) for f, n in graph.calls(origin.path)],
                    }
                )
    return found


def recompiles(step: Step, argument: str) -> dict[str, Any]:
    """Run the step under XLA with another value of one argument, and see whether that takes a compilation.

    Returns {"seconds": [first call, the same again, with the other value], "again": bool}: a call that compiles takes
    many times as long as one that only runs. {"again": None, "note"} where it cannot be told.
    """
    if f"{argument}:0" not in step.arguments:
        return {"again": None, "note": f"{argument} is no argument of the step"}
    value = np.asarray(step.arguments[f"{argument}:0"])
    if value.dtype.kind not in "iu" or not value.size:
        return {"again": None, "note": f"{argument} is no whole number"}
    function, names = compiled.function_of(closed(step))
    if argument not in names:
        return {"again": None, "note": f"nothing depends on {argument}"}

    def call(other: Any) -> float:
        given = {**step.arguments, f"{argument}:0": other}
        values = compiled.values_of(given, names)
        start = time.perf_counter()
        function(*values)
        return time.perf_counter() - start

    try:
        first, same = call(value), min(call(value) for _ in range(3))
        other = call(as_dtype(value + 1, _dtype(step, argument)))
    except Exception as error:
        return {"again": None, "note": f"{type(error).__name__}: {error}"[:300]}
    return {"again": bool(other > _RECOMPILES * same), "seconds": [round(s, 6) for s in (first, same, other)]}


def _dtype(step: Step, argument: str) -> int:
    return next(i.dtype for i in step.pure.graph.inputs if i.name == argument)


def _positions(position: str, count: int) -> Sequence[int]:
    """The input numbers that a position means: "1", or "1+N" behind a list whose length the node tells."""
    start, _, behind = position.partition("+")
    if not behind:
        return [int(start)] if int(start) < count else []
    return [count - 1]


def _given(graph: Graph, tensor: str, region: Region, captured: set[str]) -> list[dict[str, Any]]:
    """The arguments and variables of the region whose value goes into `tensor`; none where anything else does, too."""
    waiting, seen = [tensor], set()
    found: dict[str, dict[str, Any]] = {}
    inputs = {i.name: i for i in graph.inputs}
    arguments = set(region.arguments)
    while waiting:
        current = waiting.pop()
        if current in seen:
            continue
        seen.add(current)
        name, _ = split(current)
        if current in arguments:
            if region.path:
                if _varies(graph, current, captured):
                    found[current] = _named(graph, current, "argument")
            elif name not in captured and inputs[name].role in ("argument", "data"):
                found[current] = _named(graph, current, "argument", inputs[name].shape)
            continue
        node = graph.nodes.get(name)
        if node is None:
            continue
        if node.op in METADATA:
            continue
        if node.op in ("ReadVariableOp", "ResourceGather"):
            variable = inputs.get(split(node.inputs[0])[0])
            label = (variable.label or variable.name) if variable is not None else name
            found[current] = {"kind": "variable", "name": label, "shape": None, "input": None}
            continue
        if node.op.startswith(("Random", "Stateless", "Stateful")) or node.op in ("Where", "While", "Unique"):
            return []  # not a value that is given: XLA refuses it, or carries a bounded size
        waiting += node.inputs
    return list(found.values())


def _varies(graph: Graph, tensor: str, captured: set[str]) -> bool:
    """Whether a tensor outside of the region can have another value in another call."""
    free = {i.name for i in graph.inputs} - captured

    def op(name: str) -> str:
        return graph.nodes[name].op if name in graph.nodes else ""

    back = reach([split(tensor)[0]], lambda name: [] if op(name) in {"", *METADATA} else inputs_of(graph, name))
    return any(name in free or op(name).startswith("Random") or op(name) == "ReadVariableOp" for name in back)


def _named(graph: Graph, tensor: str, kind: str, shape: Any = None) -> dict[str, Any]:
    name, _ = split(tensor)
    origin = graph.origins.get(name)
    return {
        "kind": kind,
        "name": origin.node if origin is not None else name,
        "shape": None if shape is None else list(shape),
        "input": name if name in {i.name for i in graph.inputs} else None,
    }
