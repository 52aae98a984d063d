"""The op that fails first when the step is run plainly, with the way to it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from ..protocol.outcomes import Input
from .evaluate import Activation, Culprit, Frames
from .ir import IFS, WHILES, Graph, body_names, split
from .machine import Handle
from .shapes import MAX_ITERATIONS
from .step import Step, new_frames

_SMALL = 64
_MESSAGE = 4000


@dataclasses.dataclass(frozen=True)
class _Way:
    """How a frame was reached: call nodes, (function, node) of each, rounds of loops, order."""

    path: tuple[str, ...] = ()
    calls: tuple[tuple[str, str], ...] = ()
    iterations: tuple[int, ...] = ()
    order: tuple[int, ...] = ()

    def into(self, graph: Graph, node: str) -> _Way:
        """The way to the flat node itself: through the calls that were inlined around it."""
        origin = graph.origins[node]
        return dataclasses.replace(
            self,
            path=(*self.path, *origin.path),
            calls=(*self.calls, *graph.calls(origin.path)),
            order=(*self.order, *origin.order),
        )

    def through(self, graph: Graph, node: str, *order: int, rounds: tuple[int, ...] = ()) -> _Way:
        """The way into a body of the control flow node."""
        origin, here = graph.origins[node], self.into(graph, node)
        return dataclasses.replace(
            here,
            path=(*here.path, origin.node),
            calls=(*here.calls, (origin.function, origin.node)),
            iterations=(*here.iterations, *rounds),
            order=(*here.order, *order),
        )


@dataclasses.dataclass(frozen=True)
class Found:
    """An op that fails, with the values around it and the way there."""

    activation: Activation
    culprit: Culprit
    way: _Way


def failing_op(step: Step, frames: Frames | None = None) -> dict[str, Any] | None:
    """The first op that fails when the step is run with the graph optimizer off; None if nothing fails.

    The result has "node" (name along the call path), "path" (call nodes), "function" (library function, "" is the
    top), "inner_node", "op", "inputs" ([{"tensor", "node", "output", "shape", "dtype", "value"}], the value a nested
    list for small integer tensors, else null), "kind" (exception class), "message", "iterations" (rounds of the loops
    around it), "order", "sources" ([[file, line, function], ...] of the code that made the node, innermost last: of
    whoever traced its function *first*), "call_sources" (the same for each call on the path: by which way it was
    really reached), "filled" (inputs that hold noise) and "guessed" ({input: axes whose sizes were made up, or null}).

    What the failing process printed plays no part: the op's inputs were evaluated, and on these values the
    op fails.
    """
    found = find(step, frames or new_frames())
    return None if found is None else described(step, found)


def find(step: Step, frames: Frames) -> Found | None:
    """The same with its frame and the values there."""
    return _descend(step.activation(frames), _Way())


def _descend(activation: Activation, way: _Way) -> Found | None:
    graph = activation.graph
    culprit = activation.first_culprit(graph.outputs, graph.controls)
    if culprit is None:
        return None
    deeper = None
    op = graph.nodes[culprit.node].op
    if op in IFS:
        taken = activation.branch(culprit.node)
        if taken is not None:
            deeper = _descend(taken[1], way.through(graph, culprit.node, taken[0]))
    elif op in WHILES:
        deeper = _in_loop(activation, culprit.node, way)
    return deeper or Found(activation, culprit, way.into(graph, culprit.node))


def _in_loop(outer: Activation, name: str, way: _Way) -> Found | None:
    condition, body = body_names(outer.graph.nodes[name])
    values = outer.loop_start(name)
    for number in range(MAX_ITERATIONS):
        if values is None:
            return None
        question = outer.enter(condition, values)
        found = _descend(question, way.through(outer.graph, name, number, 0, rounds=(number,)))
        if found is not None:
            return found
        answer = question.values.get(question.graph.outputs[0])
        if answer is None or not np.asarray(answer).any():
            return None
        inner = outer.enter(body, values)
        found = _descend(inner, way.through(outer.graph, name, number, 1, rounds=(number,)))
        if found is not None:
            return found
        ready = all(t in inner.values for t in inner.graph.outputs)
        values = [inner.values[t] for t in inner.graph.outputs] if ready else None
    return None


def described(step: Step, found: Found) -> dict[str, Any]:
    """What `failing_op` tells of an op that was found."""
    graph = found.activation.graph
    origin = graph.origins[found.culprit.node]
    return {
        "node": "/".join((*found.way.path, origin.node)),
        "path": list(found.way.path),
        "function": origin.function,
        "inner_node": origin.node,
        "op": graph.nodes[found.culprit.node].op,
        "inputs": [describe_input(found.activation, t) for t in graph.nodes[found.culprit.node].inputs],
        "kind": found.culprit.kind,
        "message": found.culprit.message[:_MESSAGE],
        "iterations": list(found.way.iterations),
        "order": list(found.way.order),
        "sources": step.program.frames(origin.function, origin.node),
        "call_sources": [step.program.frames(function, node) for function, node in found.way.calls],
        "filled": list(step.filled),
        "guessed": dict(step.guessed),
    }


def describe_input(activation: Activation, tensor: str) -> Input:
    """What an op is given by a tensor."""
    node, index = split(tensor)
    origin = activation.graph.origins.get(node)
    name = origin.node if origin else node
    value = activation.values.get(tensor)
    if value is None or isinstance(value, Handle):
        return Input(tensor, name, index, dtype=None, shape=None, value=None)
    array = np.asarray(value)
    small = array.dtype.kind in "iub" and array.size <= _SMALL
    return Input(tensor, name, index, str(array.dtype), array.shape, array.tolist() if small else None)
