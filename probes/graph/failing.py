"""The op that fails first when the step is run plainly, with the way to it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from .evaluate import Activation, Culprit, Frames
from .ir import IFS, WHILES, body_names, split
from .machine import Handle
from .shapes import MAX_ITERATIONS
from .step import Step, new_frames

_SMALL = 64
_MESSAGE = 4000


@dataclasses.dataclass(frozen=True)
class _Found:
    activation: Activation
    culprit: Culprit
    path: tuple[str, ...]
    iterations: tuple[int, ...]
    order: tuple[int, ...]


def failing_op(step: Step, frames: Frames | None = None) -> dict[str, Any] | None:
    """The first op that fails when the step is run with the graph optimizer off; None if nothing fails.

    {"node": name along the call path, "path": [call nodes], "function": library function ("" is the top), "inner_node", "op",
     "inputs": [{"tensor", "shape", "dtype", "value": nested list for small integer tensors, else null}], "kind": exception class,
     "message", "iterations": [k, ...] within loops, "order", "sources": [[file, line, function], ...],
     "filled": [...]}

    What the failing process printed plays no part: the op's inputs were evaluated, and on these values the
    op fails.
    """
    found = _descend(step.activation(frames or new_frames()), (), (), ())
    return None if found is None else _described(step, found)


def _descend(
    activation: Activation, path: tuple[str, ...], iterations: tuple[int, ...], order: tuple[int, ...]
) -> _Found | None:
    graph = activation.graph
    culprit = activation.first_culprit(graph.outputs, graph.controls)
    if culprit is None:
        return None
    origin = graph.origins[culprit.node]
    here, position = (*path, *origin.path), (*order, *origin.order)
    op = graph.nodes[culprit.node].op
    deeper = None
    if op in IFS:
        taken = activation.branch(culprit.node)
        if taken is not None:
            deeper = _descend(taken[1], (*here, origin.node), iterations, (*position, taken[0]))
    elif op in WHILES:
        deeper = _in_loop(activation, culprit.node, (*here, origin.node), iterations, position)
    return deeper or _Found(activation, culprit, here, iterations, position)


def _in_loop(
    outer: Activation, name: str, path: tuple[str, ...], iterations: tuple[int, ...], order: tuple[int, ...]
) -> _Found | None:
    condition, body = body_names(outer.graph.nodes[name])
    values = outer.loop_start(name)
    for number in range(MAX_ITERATIONS):
        if values is None:
            return None
        round_ = (*iterations, number)
        question = outer.enter(condition, values)
        found = _descend(question, path, round_, (*order, number, 0))
        if found is not None:
            return found
        answer = question.values.get(question.graph.outputs[0])
        if answer is None or not np.asarray(answer).any():
            return None
        inner = outer.enter(body, values)
        found = _descend(inner, path, round_, (*order, number, 1))
        if found is not None:
            return found
        values = (
            [inner.values[t] for t in inner.graph.outputs]
            if all(t in inner.values for t in inner.graph.outputs)
            else None
        )
    return None


def _described(step: Step, found: _Found) -> dict[str, Any]:
    graph = found.activation.graph
    origin = graph.origins[found.culprit.node]
    return {
        "node": "/".join((*found.path, origin.node)),
        "path": list(found.path),
        "function": origin.function,
        "inner_node": origin.node,
        "op": graph.nodes[found.culprit.node].op,
        "inputs": [_input(found.activation, t) for t in graph.nodes[found.culprit.node].inputs],
        "kind": found.culprit.kind,
        "message": found.culprit.message[:_MESSAGE],
        "iterations": list(found.iterations),
        "order": list(found.order),
        "sources": step.program.frames(origin.function, origin.node),
        "filled": list(step.filled),
    }


def _input(activation: Activation, tensor: str) -> dict[str, Any]:
    node, index = split(tensor)
    origin = activation.graph.origins.get(node)
    described: dict[str, Any] = {"tensor": tensor, "node": origin.node if origin else node, "output": index}
    value = activation.values.get(tensor)
    if value is None or isinstance(value, Handle):
        return {**described, "shape": None, "dtype": None, "value": None}
    array = np.asarray(value)
    small = array.dtype.kind in "iub" and array.size <= _SMALL
    return {
        **described,
        "shape": list(array.shape),
        "dtype": str(array.dtype),
        "value": array.tolist() if small else None,
    }
