"""A gradient of several numbers a row: `GradientTape.gradient` sums the gradients of all of them.

That is wrong where each number is meant to have its own: where the sum is broadcast against the columns of what was
derived, where a derivative is derived again by all columns (a Laplacian would be their diagonal alone), and where the
numbers of a row add up to a constant, as those of a softmax do, so that the sum is zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .differences import Differences
from .ir import Graph, descendants, split
from .measure import Array
from .row_sets import is_gradient

_RESIDUALS = frozenset({"Sub", "SquaredDifference", "Add", "AddV2"})
_HANDS_ON = frozenset({"Identity", "IdentityN", "Cast", "EnsureShape", "Snapshot"})
_PART = 0.05
_MOST_COLUMNS = 32


def summed(here: Differences, source: str, target: str, result: str) -> dict[str, Any] | None:
    """{"kind": "summed", "how": broadcast, again or cancels, "shapes", "op", "node"}; {} for nothing, None where
    nothing can be said.
    """
    shapes = [here.values[t].shape for t in (source, target, result)]
    (given, derived, got) = shapes
    if len(given) != 2 or len(derived) != 2 or got != given or given[0] != derived[0] or given[0] < 2:
        return None
    if max(given[1], derived[1]) > _MOST_COLUMNS:
        return None
    parts = _parts(here, source, target)
    own = here.run({}, [result])
    if parts is None or own is None:
        return None
    total = parts.sum(axis=1)
    largest = float(np.abs(parts).max(initial=0))
    if not largest or np.abs(total - own[0]).max() > 1e-2 * largest:
        return None  # rows depend on one another, or it is another gradient
    several = (np.abs(parts) > _PART * largest).sum(axis=1) > 1
    if several.mean() < 0.3:
        return {}
    told = {"kind": "summed", "shapes": [list(s) for s in (derived, given)]}
    if is_gradient(here.graph, split(target)[0]):
        return {**told, "how": "again"}
    if np.abs(total).max() < 1e-4 * largest:
        return {**told, "how": "cancels"}
    met = _met(here, result, target, derived[1]) if given[1] == 1 else None
    if met is not None:
        return {**told, "how": "broadcast", "op": here.step.pure.graph.nodes[met].op, "node": met}
    return {}


def _parts(here: Differences, source: str, target: str) -> Array | None:
    """The derivative of each column of the target by each of the source: (rows, columns derived, columns given)."""
    value = np.asarray(here.values[source], np.float64)
    step = here.step_of(source)
    found = []
    for column in range(value.shape[1]):
        way = np.zeros_like(value)
        way[:, column] = step
        there, back = (here.run({source: value + k * way}, [target]) for k in (1, -1))
        if there is None or back is None:
            return None
        found.append((there[0] - back[0]) / (2 * step))
    return np.stack(found, axis=2)


def operands(graph: Graph, result: str) -> dict[str, str]:
    """{op that adds or subtracts a tensor: what it combines it with}."""
    same, found = {result}, {}
    for name, node in graph.nodes.items():
        taken = [t in same for t in node.inputs]
        if node.op in _HANDS_ON and any(taken):
            same.add(f"{name}:{taken.index(True)}")
        if node.op in _RESIDUALS and any(taken) and not all(taken):
            found[name] = node.inputs[taken.index(False)]
    return found


def _met(here: Differences, result: str, target: str, columns: int) -> str | None:
    """The op that combines a sum of one column with as many columns as were derived, which come of these."""
    graph = here.step.pure.graph
    behind = descendants(graph, [split(target)[0]], controls=False)
    for name, other in operands(graph, result).items():
        value = here.run({}, [other]) if split(other)[0] in here.graph.nodes and split(other)[0] in behind else None
        if value is not None and value[0].ndim == 2 and value[0].shape[1] == columns:
            return name
    return None
