"""Where a value comes from that XLA would have to know: the ops and inputs at the far end of what it is computed from.

Followed backwards from an op through calls, branches and loops. What is known from shapes alone is no origin (`baked`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .baked import METADATA
from .ir import CALLS, IFS, WHILES, Graph, Origin, body_names, split
from .prefix import Spot, frame_of
from .step import Step

_VARIABLE = frozenset({"ReadVariableOp", "ResourceGather", "VariableV2", "VarHandleOp"})
_BY_VALUE = frozenset({"Where", "Unique", "UniqueV2", "UniqueWithCounts", "SetSize", "ListDiff"})
_MOST = 8
_MOST_STEPS = 20_000

Way = tuple[tuple[str, int], ...]
_Place = tuple[Way, str]


def origins(step: Step, spot: Spot, inputs: Sequence[int] = ()) -> list[dict[str, Any]]:
    """The origins of the value of an op's inputs (of those at `inputs`; none given: of all), the nearest first.

    Each is {"kind": argument, variable, random, data (a number of elements that depends on values) or loop (a value
    that changes from round to round), "op", "node", "function", "path", "sources", "call_sources"}; at most 8.
    """
    node = frame_of(step.pure.graph, spot).nodes[spot.node]
    chosen = [t for i, t in enumerate(node.inputs) if not inputs or i in inputs]
    back = _Back(step)
    return [back.described(*found) for found in back.ends([(spot.way, t) for t in chosen])][:_MOST]


class _Back:
    """Steps backwards through a step whose calls were kept."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._graph = step.pure.graph
        self._inputs = {item.name: item for item in self._graph.inputs}

    def ends(self, start: list[_Place]) -> Iterator[tuple[Way, str, str]]:
        """(way, node, kind) of each origin, breadth first."""
        waiting = list(start)
        seen: set[_Place] = set()
        while waiting and len(seen) < _MOST_STEPS:
            place = waiting.pop(0)
            if place in seen:
                continue
            seen.add(place)
            way, tensor = place
            name, _ = split(tensor)
            kind = self._kind(way, name)
            if kind is not None:
                yield way, name, kind
            else:
                waiting += self._before(way, tensor)

    def described(self, way: Way, name: str, kind: str) -> dict[str, Any]:
        """One origin, with the user's lines."""
        frame = self._frame(way)
        node, origin = frame.nodes[name], frame.origins.get(name)
        path = self._calls(way)
        program = self._step.program
        item = self._inputs.get(name) if not way else None
        where = origin or Origin((), "", name, ())
        return {
            "kind": kind,
            "op": node.op,
            "node": (item.label or name) if item is not None else where.node,
            "function": where.function,
            "path": [n for _, n in path],
            "sources": program.frames(where.function, where.node),
            "call_sources": [program.frames(function, n) for function, n in path],
        }

    def _kind(self, way: Way, name: str) -> str | None:
        """What an origin a node is; None for one that only computes from others, or whose value XLA knows."""
        if not way and name in self._inputs:
            role = self._inputs[name].role
            return "argument" if role in ("argument", "data") else "variable"
        op = self._frame(way).nodes[name].op
        if op in _VARIABLE:
            return "variable"
        if op in _BY_VALUE:
            return "data"
        if "Random" in op or op in ("Multinomial", "StatelessMultinomial"):
            return "random"
        return "loop" if op in WHILES else None

    def _before(self, way: Way, tensor: str) -> list[_Place]:
        """What a tensor is made from."""
        frame = self._frame(way)
        name, index = split(tensor)
        given = [item.name for item in frame.inputs]
        if way and name in given:
            return self._outside(way, given.index(name))
        node = frame.nodes[name]
        if node.op in METADATA or node.op == "Const":
            return []
        if node.op in CALLS or node.op in IFS:
            inner = [((*way, (name, i)), self._graph.bodies[b]) for i, b in enumerate(body_names(node))]
            results = [(w, g.outputs[index]) for w, g in inner if index < len(g.outputs)]
            # Which branch is taken decides the value, too.
            return [*results, *((way, t) for t in node.inputs[:1] if node.op in IFS)]
        return [(way, t) for t in node.inputs]

    def _outside(self, way: Way, position: int) -> list[_Place]:
        """What the argument of a body was given by the node that runs it."""
        *outer, (name, _) = way
        node = self._frame(tuple(outer)).nodes[name]
        at = position + (1 if node.op in IFS else 0)
        if node.op in WHILES:
            return [(tuple(outer), f"{name}:{position}")]
        return [(tuple(outer), node.inputs[at])] if at < len(node.inputs) else []

    def _frame(self, way: Way) -> Graph:
        return frame_of(self._graph, Spot(way, ""))

    def _calls(self, way: Way) -> list[tuple[str, str]]:
        """(function in which it stands, its name there) of each node around a place."""
        found = []
        for number, (name, _) in enumerate(way):
            origin: Mapping[str, Origin] = self._frame(way[:number]).origins
            found.append((origin[name].function, origin[name].node))
        return found
