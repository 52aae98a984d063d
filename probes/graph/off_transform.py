"""A roll by half of an axis beside a Fourier transform (`fftshift`) along an axis that the transform did not go over.

`tf.signal.fftshift` without axes rolls all of them, the batch too, and axes counted from the front are others once the
channels come first. What it moves to the middle then is another row of the batch, or another channel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .ir import Graph, split
from .lineage import ELEMENTWISE, HANDS_ON
from .measure import Array
from .phrases import constant_of
from .row_sets import RowSets, is_gradient

_AXES = {f"{i}{r}FFT{n}": int((n or "1")[0]) for i in ("", "I") for r in ("", "R") for n in ("", "2D", "3D")}
"""By the op of a transform: over how many axes it goes, the last ones."""
_EACH = (
    ELEMENTWISE
    | HANDS_ON
    | {"Abs", "Angle", "ComplexAbs", "Conj", "Exp", "Imag", "Log", "Log1p", "Neg", "Real", "Roll", "Sqrt", "Square"}
)
_COMPUTES: Mapping[str, Callable[..., Any]] = {
    "Add": np.add, "AddV2": np.add, "Less": np.less, "Range": np.arange, "Select": np.where, "SelectV2": np.where,
    "FloorMod": np.mod, "Identity": np.asarray,
}  # fmt: skip
"""What makes axes from axes."""
_MOST, _MOST_AXES = 40, 5


def off_transform(graph: Graph, found: RowSets, users: Mapping[str, list[str]], name: str) -> str | None:
    """What a roll takes, if it moves an axis by half of it that no transform before or after it goes over."""
    given = graph.nodes[name].inputs[0]
    before, after = found.values.get(given), found.values.get(f"{name}:0")
    if before is None or after is None or before.ndim > _MOST_AXES or is_gradient(graph, name):
        return None
    reached = _transforms(graph, found, users, name, before.shape)
    if not reached:
        return None
    over = {before.ndim - 1 - n for count in reached for n in range(count)}
    axes = _constant(graph, graph.nodes[name].inputs[2])
    moved = sorted({int(a) % before.ndim for a in np.ravel(axes)}) if axes is not None else []
    return given if {n for n in moved if before.shape[n] > 1} - over and _by_half(before, after, moved) else None


def _by_half(before: Array, after: Array, axes: Sequence[int]) -> bool:
    return any(
        np.array_equal(np.roll(before, [(before.shape[n] + up) // 2 for n in axes], axes), after) for up in (0, 1)
    )


def _constant(graph: Graph, tensor: str) -> Any:
    """The axes that a roll was given: a constant, counted from the end or not, or all of them."""
    name = split(tensor)[0]
    node = graph.nodes.get(name)
    if node is None:
        return None
    if node.op == "Const":
        return constant_of(node)
    given = [_constant(graph, t) for t in node.inputs] if node.op in _COMPUTES else [None]
    return None if any(g is None for g in given) else _COMPUTES[node.op](*given)


def _transforms(
    graph: Graph, found: RowSets, users: Mapping[str, list[str]], name: str, shape: tuple[int, ...]
) -> list[int]:
    """Over how many axes the transforms go that a tensor comes from, or goes to, element by element."""
    reached: list[int] = []
    for forward in (False, True):
        todo, seen = [name], {name}
        while todo and len(seen) < _MOST:
            here = todo.pop()
            near = users.get(here, ()) if forward else [split(t)[0] for t in graph.nodes[here].inputs]
            for other in near:
                node = graph.nodes.get(other)
                value = found.values.get(f"{here if forward else other}:0")
                if node is None or other in seen or value is None or value.shape != shape:
                    continue
                seen.add(other)
                if node.op in _AXES:
                    reached.append(_AXES[node.op])
                elif node.op in _EACH:
                    todo.append(other)
    return reached
