"""Which rows of the batch each element of each tensor depends on: found by changing one row after the other.

The step is run plainly, by value. Numbers that ops draw are those of the first run in all runs; a tensor that is not
the same in a second run on the same data, or has another shape on changed data, is left out. A row is changed in three
ways, one of them large: a unit that is not active, a rounding or a clipped value hides small changes. Integers stay
within the range that they have.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from .errors import Unsupported
from .evaluate import Activation, Frames
from .ir import Graph, Input, Node, ancestors, body_names, split
from .leaves import behind, has_number
from .machine import Handle, RunFailed
from .measure import Array
from .randomness import drawn
from .step import Step

WAYS = 3
MOST_ROWS = 7
"""Of a larger batch so many rows are changed, among them the first and the last; the other ones all at once."""
REST = np.uint8(1 << MOST_ROWS)
"""The bit of the rows that are not changed one by one."""
MOST_ELEMENTS = 40_000_000
BITS = np.array([bin(n).count("1") for n in range(256)], np.uint8)
"""How many rows a mask has."""
_WIDE = 1 << 61
"""Below this, sums of two integers stay within 64 bits."""
_SMALL = 1 << 24
_GRADIENTS = ("gradient_tape/", "gradients/")


@dataclasses.dataclass(frozen=True)
class RowSets:
    """What came of it. `sets` has for each tensor that depends on the data a bit mask of rows for each element;
    `values` what it is on the data; `tested` are the rows of the bits.
    """

    graph: Graph
    batch: int
    inputs: tuple[str, ...]
    tested: tuple[int, ...]
    values: Mapping[str, Array]
    sets: Mapping[str, Array]
    left_out: int
    runs: int


def row_sets(step: Step, frames: Frames, batch: int, inputs: Sequence[str]) -> RowSets:
    """The row sets of a step whose `inputs` have `batch` rows each.

    Raises:
        Unsupported: it does not run on these data, or its tensors are too many.
    """
    return _Search(step, frames, batch, tuple(inputs)).found()


def batched(inputs: Sequence[Input], arguments: Mapping[str, Array], batch: int) -> list[str]:
    """The inputs that have the batch as their leading axis: those that leave it open, and others of that size."""
    found = []
    for item in inputs:
        value = arguments.get(f"{item.name}:0")
        if item.role not in ("argument", "data") or value is None or not value.ndim or value.dtype.kind not in "fciub":
            continue
        if len(value) == batch:
            found.append(f"{item.name}:0")
    return found


def by_item(node: Node) -> bool:
    """Whether a gather takes from each item of the first axis by indices of its own, as a warp does."""
    return bool(node.definition.attr["batch_dims"].i)


class _Search:
    def __init__(self, step: Step, frames: Frames, batch: int, inputs: tuple[str, ...]) -> None:
        self._graph = step.pure.graph
        self._frames = frames
        self._batch = batch
        self._inputs = inputs
        self._arguments = {n: np.asarray(v) for n, v in step.arguments.items()}
        self._pinned: dict[str, Array] = {}
        self._runs = 0

    def found(self) -> RowSets:
        base = self._base()
        wanted = list(base)
        again = self._run(self._arguments, wanted)
        if again is None:
            raise Unsupported("the step does not run a second time")
        stable = {t: v for t, v in base.items() if t in again and not _changed(v, again[t]).any()}
        sets = {t: np.zeros(v.shape, np.uint8) for t, v in stable.items()}
        tested = _tested(self._batch)
        rest = [i for i in range(self._batch) if i not in tested]
        changes = [(np.uint8(1 << n), [row]) for n, row in enumerate(tested)] + ([(REST, rest)] if rest else [])
        moved: set[str] = set()
        for bit, rows in changes:
            for way in range(WAYS):
                values = self._run(self._with(rows, way), list(sets), rows)
                for tensor, value in (values or {}).items():
                    if value.shape != sets[tensor].shape:
                        moved.add(tensor)
                        continue
                    sets[tensor][_changed(stable[tensor], value)] |= bit
        sets = {t: s for t, s in sets.items() if t not in moved and s.any()}
        for name in self._inputs:
            sets[name] = _of_input(self._arguments[name], tested)
        for name in self._drawn_by_row():
            sets[name] = _of_input(self._pinned[name], tested)
        return RowSets(
            self._graph, self._batch, self._inputs, tuple(tested), {**stable, **self._arguments}, sets,
            len(base) - len(stable) + len(moved), self._runs,
        )  # fmt: skip

    def _base(self) -> dict[str, Array]:
        wanted = self._wanted()
        activation = Activation(self._frames, self._graph, self._arguments)
        activation.compute(wanted)
        self._runs += 1
        if activation.culprits:
            raise Unsupported(
                f"it does not run on made-up data: {activation.culprits[0].message.splitlines()[0][:200]}"
            )
        values = {t: np.asarray(v) for t, v in activation.values.items() if not isinstance(v, Handle)}
        random = {n for which in drawn(self._graph) for n in which}
        self._pinned = {t: v for t, v in values.items() if split(t)[0] in random and not _has_body(self._graph, t)}
        found = {t: values[t] for t in wanted if t in values and t not in self._pinned}
        if sum(v.size for v in found.values()) > MOST_ELEMENTS:
            raise Unsupported(f"its tensors have more than {MOST_ELEMENTS} elements")
        if not found:
            raise Unsupported("nothing in it can be computed from its data")
        return found

    def _wanted(self) -> list[str]:
        """The tensors that depend on the data, or on what is drawn, by their values, but for gradients of weights."""
        graph = self._graph
        inputs = {i.name for i in graph.inputs}
        random = {n for which in drawn(graph) for n in which}
        reached = behind(graph, {split(t)[0] for t in self._inputs} | random)
        # A loss may be made of gradients, as that of an equation's residual; others lead to the weights alone.
        results = ancestors(graph, graph.outputs)
        for_weights = behind(graph, {n for n in graph.nodes if is_gradient(graph, n)}) - results
        chosen = [n for n in graph.nodes if n in reached and n not in inputs and n not in for_weights]
        loaded = self._frames.loaded(graph)
        return [t for n in chosen for i in range(len(loaded.outputs(n))) if has_number(graph.dtype(t := f"{n}:{i}"))]

    def _with(self, rows: Sequence[int], way: int) -> dict[str, Array]:
        changed = {}
        for number, name in enumerate(self._inputs):
            value = self._arguments[name].copy()
            value[rows] = _other(value, rows, way, np.random.default_rng([number, way, rows[0]]))
            changed[name] = value
        return {**self._arguments, **changed}

    def _drawn_by_row(self) -> list[str]:
        """What is drawn for each row: it belongs to that row as the data do."""
        by_row = {t: v for t, v in self._pinned.items() if v.ndim and len(v) == self._batch and v.dtype.kind in "fciub"}
        return [t for t, v in by_row.items() if not _is_seed(v)]

    def _run(
        self, arguments: Mapping[str, Array], wanted: Sequence[str], rows: Sequence[int] = ()
    ) -> dict[str, Array] | None:
        drawn_ = dict(self._pinned)
        for name in self._drawn_by_row() if rows else ():
            drawn_[name] = self._pinned[name].copy()
            drawn_[name][list(rows)] = _other(self._pinned[name], rows, 1, np.random.default_rng(rows[0]))
        activation = Activation(self._frames, self._graph, {**arguments, **drawn_})
        self._runs += 1
        try:
            activation.fetch(wanted)
        except RunFailed:
            return None
        return {t: np.asarray(activation.values[t]) for t in wanted if t in activation.values}


def axes_of_rows(sets: Array) -> list[int]:
    """The axes along which another index means other rows."""
    return [axis for axis in range(sets.ndim) if sets.shape[axis] > 1 and varies(sets, axis)]


def along(sets: Array, axis: int) -> Array:
    """The rows that what lies at each index of an axis depends on."""
    others = tuple(n for n in range(sets.ndim) if n != axis)
    return np.asarray(np.bitwise_or.reduce(sets, axis=others) if others else sets)


def is_clean(sets: Array) -> bool:
    """Whether there is an axis of which each index belongs to one row."""
    return any((BITS[along(sets, n)] <= 1).all() for n in range(sets.ndim))


def varies(sets: Array, axis: int) -> bool:
    """Whether another index of an axis means other rows."""
    found = along(sets, axis)
    every = np.bitwise_or.reduce(found)
    known = found[found != 0]
    return bool(known.size > 1 and (known != every).all() and len(set(known.tolist())) > 1)


def in_blocks(rows: Array) -> bool:
    """Whether what belongs to one row lies side by side, of each row that was changed by itself.

    What seems to belong to none, where a unit is not active, may lie between.
    """
    places = [np.flatnonzero(rows == row) for row in set(rows.tolist()) - {0, int(REST)}]
    return all(((rows[p[0] : p[-1]] == rows[p[0]]) | (rows[p[0] : p[-1]] == 0)).all() for p in places)


def in_turn(rows: Array, batch: int) -> bool:
    """Whether the rows follow one another in their order, again and again, as `tf.tile` lays them out."""
    places = [np.flatnonzero(rows == row) for row in set(rows.tolist()) - {0, int(REST)}]
    return all((p % batch == p[0] % batch).all() for p in places)


def is_gradient(graph: Graph, name: str) -> bool:
    """Whether a node was made by a tape or by `tf.gradients`."""
    origin = graph.origins.get(name)
    parts = (name,) if origin is None else (*origin.path, origin.node)
    return any(part.startswith(_GRADIENTS) or f"/{g}" in part for part in parts for g in _GRADIENTS)


def _has_body(graph: Graph, tensor: str) -> bool:
    return any(True for _ in body_names(graph.nodes[split(tensor)[0]]))


def _tested(batch: int) -> list[int]:
    if batch <= MOST_ROWS:
        return list(range(batch))
    return sorted({0, 1, 2, batch // 2, batch // 2 + 1, batch - 2, batch - 1})


def _of_input(value: Array, tested: Sequence[int]) -> Array:
    found = np.full(value.shape, REST, np.uint8)
    for n, row in enumerate(tested):
        found[row] = np.uint8(1 << n)
    return found


def _is_seed(value: Array) -> bool:
    """Whether drawn integers are seeds of other draws: two or three of any bits. They belong to no row."""
    return (
        value.dtype.kind in "iu"
        and value.ndim == 1
        and len(value) <= 3
        and bool(((value > _SMALL) | (value < -_SMALL)).any())
    )


def _other(value: Array, rows: Sequence[int], way: int, random: np.random.Generator) -> Array:
    """Other numbers for some rows."""
    own = value[list(rows)]
    if value.dtype.kind == "b":
        return ~own if way != 1 else random.random(own.shape) < 0.5
    if value.dtype.kind in "iu":
        low, high = int(value.min()), int(value.max())
        span = max(high - low + 1, 2)
        # Each integer becomes another one of those that there are; those of hashes need more than 64 bits on the way.
        wide = own.astype(np.int64 if max(-low, high) < _WIDE else object)
        return np.asarray(low + (wide - low + 1 + way % (span - 1)) % span, value.dtype)
    finite = np.abs(value[np.isfinite(value)])
    size = float(finite.max()) if finite.size else 1.0
    size = size if 0 < size < 1e30 else 1.0
    noise = random.uniform(-1.0, 1.0, own.shape)
    if way == 0:
        return np.asarray(own + 0.1 * size * noise, value.dtype)
    if way == 1:
        return np.asarray(size * np.abs(noise), value.dtype)
    return np.asarray(-own + 10.0 * size * noise, value.dtype)


def _changed(a: Array, b: Array) -> Array:
    if a.shape != b.shape:
        return np.ones(a.shape, bool)
    if a.dtype.kind in "fcV":
        a, b = (v.astype(np.float64) if v.dtype.kind == "V" or v.dtype.itemsize < 4 else v for v in (a, b))
        return np.asarray((a != b) & ~(np.isnan(a) & np.isnan(b)))
    return np.asarray(a != b)
