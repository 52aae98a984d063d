"""What a loss does to predictions and to data before they meet: a scale, a square, a root. Both should be the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np

from .compiled import array_of, function_of
from .evaluate import Activation
from .fixed_part import FixedPart
from .ir import Graph, descendants, split
from .measure import Array
from .step import frames_once

Frames = Callable[[str], "list[list[object]]"]


@dataclasses.dataclass(frozen=True)
class TwoChains:
    """The ops of both, the last first, and the data after what is done to the predictions."""

    of_prediction: list[str]
    of_data: list[str]
    data: Array


def two_chains(graph: Graph, part: FixedPart, arguments: Mapping[str, Array], frames: Frames) -> TwoChains | None:
    """Those of the function in which prediction and data meet; None where they have the same ops, or are not simple."""
    at = _function(frames(part.meeting))
    data = {i.name for i in graph.inputs if i.role == "data"}
    of_data = descendants(graph, data, controls=False)
    of_free = descendants(graph, [split(t)[0] for t in part.free], controls=False)
    mine, start = _chain(graph, part.prediction, of_free, at, frames)
    other, raw = _chain(graph, part.target, of_data, at, frames)
    if at is None or [graph.nodes[n].op for n in mine] == [graph.nodes[n].op for n in other]:
        return None
    with frames_once() as machine:
        activation = Activation(machine, graph, arguments)
        activation.compute([start, raw])
        before, value = (np.asarray(activation.values[t]) for t in (start, raw))
    if before.shape != value.shape or before.dtype != value.dtype:
        return None
    only = dataclasses.replace(part, free=(start,))
    alone, names = only.cut(graph, {start: before.shape}, ())
    import tensorflow as tf

    step, wanted = function_of(alone, jit=False)
    known = {**arguments, names[start]: value}
    return TwoChains(mine, other, array_of(step(*[tf.constant(known[f"{n}:0"]) for n in wanted])[0]))


def _chain(
    graph: Graph, tensor: str, forward: set[str], at: tuple[object, object] | None, frames: Frames
) -> tuple[list[str], str]:
    """(ops, what the first of them takes): back from a tensor while an op stands in this function and has one operand
    that comes from there.
    """
    found: list[str] = []
    while True:
        name = split(tensor)[0]
        ways = [t for t in graph.nodes[name].inputs if split(t)[0] in forward]
        if len(ways) != 1 or _function(frames(name)) != at:
            return found, tensor
        found.append(name)
        tensor = ways[0]


def _function(frames: list[list[object]]) -> tuple[object, object] | None:
    return (frames[-1][0], frames[-1][2]) if frames else None
