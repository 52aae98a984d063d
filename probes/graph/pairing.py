"""Does an op put rows of the batch together that do not belong together? By which rows each element depends on.

A row of the predictions that meets another row of the targets, an outer product of two axes of rows, groups of rows
of which one operand is repeated and the other tiled, a reshape that tears rows apart: all of these give numbers of the
right shape, or of one that the next reduction hides. What mixes rows on purpose (batch statistics, a similarity of all
rows, cumulative sums, sorting, a maximum, rolling, neighbours that the data name) is a dependence, and nothing more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from ..protocol.comparisons import Mispairing, OutputRows, Pairing, PlacedOp
from ..protocol.outcomes import Origin
from .alone import alone
from .birth import birth_of, rows_birth
from .crossed import contracted, mixed_apart, rolled
from .errors import GraphRoomError
from .exchanged import exchanged
from .ir import IFS, WHILES, Graph, descendants, split
from .lineage import ELEMENTWISE, Lineage
from .load import load, small_batch
from .made_up import made_up
from .measure import Array, rows_in
from .off_transform import off_transform
from .own_rows import is_for_every_row, own_rows
from .pooled import pooled, users_of
from .row_sets import BITS, RowSets, along, axes_of_rows, by_item, in_blocks, in_turn, is_clean, varies
from .scaled import is_meant, scaled
from .spread import spread
from .step import Step, frames_once
from .wrapped import wrapped

Examples = tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]

_MOST = 8
_POOLS = frozenset({"Sum", "Mean", "Max", "Min", "Prod", "All", "Any", "MatMul", "BatchMatMulV2", "Einsum", "TopKV2"})
_WARPS = {"ImageProjectiveTransformV2", "ImageProjectiveTransformV3"}
_ITEM_BY_ITEM = frozenset({*_WARPS, "BatchMatMulV2", "BatchMatMulV3"})
"""Ops that take one item of each operand at a time, along the first axis, whatever the others are."""
_SEGMENTS = frozenset({f"UnsortedSegment{how}" for how in ("Sum", "Prod", "Max", "Min")})


def pairing(folder: Path, *, sizes: Sequence[int] = (), foreign: bool = False, by_row: bool = False) -> Pairing:
    """Which rows meet in the step of a capsule, and what is wrong with that.

    `sizes` are batches that the program ran, tried where a small one cannot be run. `by_row`: its results should have a
    row for each row of the data.
    """
    why = None
    few = small_batch(load(folder))
    tries = [(rows, least) for rows in dict.fromkeys((few, *sizes, few + 1)) for least in (0, 1)]
    for rows, least in tries:
        try:
            found = made_up(folder, rows, foreign, least)
        except GraphRoomError as error:
            why = why or str(error)
            continue
        if found is None:
            break
        return _Judge(*found).answer(by_row)
    return Pairing("no-rows" if why is None else "not-checked", why)


class _Judge:
    """What the row sets of a step say."""

    def __init__(self, step: Step, found: RowSets) -> None:
        self._step = step
        self._found = found
        self._graph: Graph = found.graph
        self._lineage = Lineage(step, found)
        variables = {i.name for i in self._graph.inputs if i.role == "variable"}
        self._learnt = descendants(self._graph, variables, controls=False)

    def answer(self, by_row: bool) -> Pairing:
        """What `pairing` returns."""
        found = list(self._all())
        found += self._fewer() if by_row and not found else []
        return Pairing(
            "asked",
            None,
            batch=self._found.batch,
            inputs=self._found.inputs,
            runs=self._found.runs,
            left_out=self._found.left_out,
            filled=tuple(self._step.filled)[:4],
            found=tuple(found[:_MOST]),
            mixes=tuple(self._mixes())[:_MOST],
            pooled=tuple(pooled(self._graph, self._found, self._lineage, self._step.pure.finals)),
            outputs=tuple(self._outputs()),
        )

    def _all(self) -> Iterator[Mispairing]:
        behind: set[str] = set()
        for name, node in self._graph.nodes.items():
            if name in behind:
                continue  # of what is wrong already nothing more is asked
            told = None
            if node.op == "SparseSoftmaxCrossEntropyWithLogits":
                told = self._spread(name)  # of rows and class numbers: nothing is broadcast there
            elif node.op in ELEMENTWISE or node.op == "SoftmaxCrossEntropyWithLogits":
                told = self._element_wise(name) or self._scaled(name) or self._spread(name)
            elif node.op == "Reshape":
                told = self._reshape(name)
            elif node.op in ("Softmax", "LogSoftmax"):
                told = self._normalised(name)
            elif node.op == "ConcatV2":
                told = self._beside(name, node.inputs[:-1])
            elif node.op in _ITEM_BY_ITEM:
                told = self._beside(name, node.inputs[:2])
            elif node.op == "GatherV2":
                told = self._beside(name, node.inputs[:2]) if by_item(node) else self._gathered(name)
            elif node.op in _SEGMENTS:
                told = self._segments(name)
            elif node.op in ("Einsum", "XlaEinsum", "Roll", "Cast"):
                told = self._crossed(name)
            if told is not None:
                behind |= descendants(self._graph, [name], controls=False)
                yield told
        for name, data, other in mixed_apart(self._graph, self._found, self._lineage):
            if name not in behind:
                yield self._told("mixed", name, None, tensors=(data, other))

    # -- ops with two operands

    def _element_wise(self, name: str) -> Mispairing | None:
        told = (self._pair(name, a, b) for a, b in self._pairs(self._graph.nodes[name].inputs))
        return next((one for one in told if one is not None), None)

    def _pairs(self, given: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Two at a time of the operands that depend on the data."""
        return combinations([t for t in given if t in self._found.sets], 2)

    def _pair(self, name: str, a: str, b: str) -> Mispairing | None:
        if self._lineage.same(a, b):
            return None  # the same quantity beside itself: all pairs are wanted
        shapes = [self._found.sets[t].shape for t in (a, b)]
        try:
            whole = np.broadcast_shapes(*shapes)
        except ValueError:
            return None
        one, other = (np.broadcast_to(own_rows(self._graph, self._found, t), whole) for t in (a, b))
        apart = (one != 0) & (other != 0) & ((one & other) == 0)
        if apart.any() and axes_of_rows(one) and axes_of_rows(other):
            return self._apart(name, (a, b), (one, other), apart)
        return self._lost(name, a, b, whole) or self._lost(name, b, a, whole)

    def _apart(self, name: str, tensors: tuple[str, str], sets: tuple[Array, Array], apart: Array) -> Mispairing | None:
        axes = [axes_of_rows(s) for s in sets]
        examples = [(rows_in(sets[0][tuple(e)]), rows_in(sets[1][tuple(e)])) for e in np.argwhere(apart)[:3]]
        if not set(axes[0]) & set(axes[1]):
            return self._outer(name, tensors, self._numbered(examples))
        shared = next(iter(sorted(set(axes[0]) & set(axes[1]))))
        size = sets[0].shape[shared]
        if size > self._found.batch and size % self._found.batch == 0 and len(axes[0]) == len(axes[1]) == 1:
            return self._groups(name, tensors, [along(s, shared) for s in sets], self._numbered(examples))
        return None

    def _outer(self, name: str, tensors: tuple[str, str], examples: Examples) -> Mispairing | None:
        ranks = [self._found.sets[t].ndim for t in tensors]
        learnt = [split(t)[0] in self._learnt for t in tensors]
        if ranks[0] == ranks[1] or (self._pairs_come_out() and learnt[0] == learnt[1]):
            return None  # both were given axes for it, or a matrix of pairs is what is wanted
        longer, shorter = tensors if ranks[0] > ranks[1] else tensors[::-1]
        made = self._lineage.new_axis(longer)
        told = made is not None and self._lineage.line(made) == self._lineage.line(name)
        if told or is_for_every_row(self._graph, self._found, longer, shorter):
            return None
        return self._told("outer", name, made, natural=made is None, tensors=tensors, examples=examples)

    def _groups(
        self, name: str, tensors: tuple[str, str], rows: Sequence[Array], examples: Examples
    ) -> Mispairing | None:
        if any((BITS[r] > 1).any() for r in rows):
            return None
        pairs = {(int(x), int(y)) for x, y in zip(*rows, strict=True) if x and y}
        known = min(self._found.batch, len(self._found.tested) + 1)
        if len(pairs) >= known**2 or any(self._lineage.chosen_by_data(t) for t in tensors):
            return None
        # Other orders, as of negatives that are rolled, are meant.
        tiled = [t for t, r in zip(tensors, rows, strict=True) if not in_blocks(r) and in_turn(r, self._found.batch)]
        if len(tiled) != 1 or not any(in_blocks(r) for r in rows):
            return None
        return self._told("groups", name, self._lineage.reordered(tiled[0]), tensors=tensors, examples=examples)

    def _beside(self, name: str, given: Sequence[str]) -> Mispairing | None:
        """What belongs to several items of each row, in two orders, in an op that takes them item by item."""
        for a, b in self._pairs(given):
            one, other = self._found.sets[a], self._found.sets[b]
            if axes_of_rows(one) != [0] or axes_of_rows(other) != [0] or len(one) != len(other):
                continue
            if len(one) > self._found.batch and len(one) % self._found.batch == 0:
                rows = [along(one, 0), along(other, 0)]
                examples = [(rows_in(x), rows_in(y)) for x, y in zip(*rows, strict=True) if x and y and not x & y]
                told = self._groups(name, (a, b), rows, self._numbered(examples[:3])) if examples else None
                if told is not None:
                    return told
        return None

    def _lost(self, name: str, few: str, full: str, whole: tuple[int, ...]) -> Mispairing | None:
        """A prediction without rows that meets data with rows."""
        sets, rows = self._found.sets[few], self._found.sets[full]
        if split(few)[0] not in self._learnt or split(full)[0] in self._learnt or not sets.ndim:
            return None
        axis = next(iter(axes_of_rows(np.broadcast_to(rows, whole))), None)
        if axis is None or whole[axis] != self._found.batch or axes_of_rows(sets):
            return None
        own = axis - (len(whole) - sets.ndim)
        if own >= 0 and sets.shape[own] != 1:
            return None
        born = self._lineage.lost_rows(few)
        if born is None or self._lineage.line(born) == self._lineage.line(name):
            return None
        told = self._told("lost", name, born, tensors=(few, full))
        if self._graph.nodes[born].op in (*IFS, *WHILES) and own >= 0:
            return replace(told, made=self._inside(few, own) or told.made)
        return told

    def _inside(self, tensor: str, axis: int) -> PlacedOp | None:
        """The op in the branch that was taken, or in the body of a loop, that gave a tensor the size of an axis."""
        with frames_once() as frames:
            born = birth_of(self._step, tensor, axis, frames)
        return None if born is None else _placed(born)

    # -- ops that move elements

    def _reshape(self, name: str) -> Mispairing | None:
        before = self._found.sets.get(self._graph.nodes[name].inputs[0])
        after = self._found.sets.get(f"{name}:0")
        if before is None or after is None or not is_clean(before) or BITS[after].max() > 1:
            return None
        given = self._graph.nodes[name].inputs[0]
        if is_clean(after) and self._graph.nodes[split(given)[0]].op != "Reshape":
            wrong = exchanged(before.shape, after.shape, self._found.batch)
            return self._told("exchanged", name, None, tensors=(given,)) if wrong else None
        if is_clean(after) or self._found.batch not in after.shape:
            return None
        axes = [n for n in range(after.ndim) if after.shape[n] > 1 and varies(after, n)]
        size = int(np.prod([after.shape[n] for n in axes]))
        if len(axes) < 2 or size == self._found.batch:
            return None  # the rows laid out in a grid
        return self._told("torn", name, None, tensors=(given,))

    # -- ops that take from other rows

    def _normalised(self, name: str) -> Mispairing | None:
        """A softmax over one element; or over the rows of the batch, of something that has another axis."""
        single = alone(self._graph, self._found, self._lineage, name)
        if single is not None:
            return self._told("alone", name, None, tensors=(single,))
        given = self._graph.nodes[name].inputs[0]
        before, after = self._found.sets.get(given), self._found.sets.get(f"{name}:0")
        if before is None or after is None or not is_clean(before) or BITS[after].max() < 2:
            return None
        if sum(n > 1 for n in before.shape) < 2 or not varies(before, before.ndim - 1):
            return None
        return self._told("normalised", name, None, tensors=(given,))

    def _scaled(self, name: str) -> Mispairing | None:
        """A division by a sum of itself over the rows, of something that has an axis of its own to be summed over."""
        single = alone(self._graph, self._found, self._lineage, name)
        if single is not None:
            return self._told("alone", name, None, tensors=(single,))
        found = scaled(self._graph, self._lineage, name) if self._graph.nodes[name].op in ("RealDiv", "Mul") else None
        before, after = (self._found.sets.get(t) for t in (found[0], f"{name}:0")) if found else (None, None)
        if found is None or before is None or after is None or not is_clean(before) or BITS[after].max() < 2:
            return None
        axes = axes_of_rows(before)
        if len(axes) != 1 or all(size == 1 for n, size in enumerate(before.shape) if n not in axes):
            return None
        if is_meant(self._graph, self._found, self._lineage, name):
            return None
        return self._told("normalised", name, None, tensors=(found[0],))

    def _spread(self, name: str) -> Mispairing | None:
        found = spread(self._graph, self._found, name)
        return self._told("classes", name, None, tensors=found) if found else None

    def _gathered(self, name: str) -> Mispairing | None:
        """A gather from flattened rows whose indices are all in the first row."""
        taken, index = self._graph.nodes[name].inputs[:2]
        sets, numbers = self._found.sets.get(taken), self._found.values.get(index)
        if sets is None or numbers is None or index not in self._found.sets or numbers.shape != (self._found.batch,):
            return None
        items, rest = divmod(len(sets), self._found.batch) if sets.ndim else (0, 1)
        flat = items > 1 and not rest and axes_of_rows(sets) == [0] and in_blocks(along(sets, 0))
        told = self._told("gathered", name, None, tensors=(taken, index))
        return told if flat and numbers.max() < items else None

    def _crossed(self, name: str) -> Mispairing | None:
        op, users = self._graph.nodes[name].op, users_of(self._graph)
        off = off_transform(self._graph, self._found, users, name) if op == "Roll" else None
        if op == "Cast" or off is not None:
            given = off or wrapped(self._step, self._graph, self._found, name)
            known = [given] if given is not None and given in self._found.sets else []
            return self._told("off-transform" if off else "wrapped", name, None, tensors=known) if known else None
        if op == "Roll":
            kind, tensors = "rolled", rolled(self._graph, self._found, users, name)
        else:
            kind, tensors = "contracted", contracted(self._graph, self._found, self._lineage, name)
        return self._told(kind, name, None, tensors=tensors) if tensors else None

    def _segments(self, name: str) -> Mispairing | None:
        """As many segments as rows, numbered in another order than that in which the items of the rows lie."""
        data, numbers = self._graph.nodes[name].inputs[:2]
        sets, out = self._found.sets.get(data), self._found.sets.get(f"{name}:0")
        if sets is None or out is None or numbers in self._found.sets or axes_of_rows(sets) != [0]:
            return None
        items, rest = divmod(len(sets), self._found.batch)
        if items < 2 or rest or len(out) != self._found.batch or not is_clean(sets):
            return None
        rows = [int(r) for r in along(sets, 0)]
        if not in_blocks(np.array(rows)) or (BITS[along(out, 0)] <= 1).all():
            return None
        return self._told("segments", name, None, tensors=(data,))

    def _fewer(self) -> list[Mispairing]:
        """The op at which a result lost rows, where it has fewer than the data."""
        fewer = [o.shape for o in self._outputs() if o.shape and int(o.shape[0] or 0) < self._found.batch]
        if not fewer:
            return []
        with frames_once() as frames:
            born = rows_birth(self._step, self._found.batch, frames)
        # What is pooled, or laid out in bags of its own axis, is meant to have fewer rows.
        if born is None or born.op in _POOLS or "Segment" in born.op:
            return []
        ranks = [len(t.shape) for t in born.inputs if t.shape is not None]
        if born.op == "Reshape" and ranks and len(born.shape or ()) > ranks[0]:
            return []
        shapes = (self._found.values[self._found.inputs[0]].shape, born.shape, fewer[0])
        told = Mispairing(
            **vars(_placed(born)), kind="fewer", shapes=shapes, parts=(), natural=True, comes_out=False, made=None,
            examples=(), given=tuple(t.shape for t in born.inputs),
        )  # fmt: skip
        return [told]

    # -- what is told

    def _mixes(self) -> Iterator[PlacedOp]:
        """The first ops that make elements depend on several rows."""
        behind: set[str] = set()
        for name in self._graph.nodes:
            sets = self._found.sets.get(f"{name}:0")
            if name in behind or sets is None or BITS[sets].max() < 2:
                continue
            behind |= descendants(self._graph, [name], controls=False)
            yield self._lineage.place(name)

    def _outputs(self) -> Iterator[OutputRows]:
        for number, tensor in enumerate(self._graph.outputs):
            value, sets = self._found.values.get(tensor), self._found.sets.get(tensor)
            if value is None:
                continue
            axes = axes_of_rows(sets) if sets is not None else []
            alone = sets is not None and value.ndim > 0 and 0 in axes and is_clean(sets)
            yield OutputRows(output=number, shape=value.shape, rows=0 in axes, alone=alone)

    def _pairs_come_out(self) -> bool:
        """Whether a result has a row and a column for each row of the batch."""
        found = (self._found.sets.get(t) for t in self._graph.outputs)
        size = self._found.batch
        return any(s is not None and s.shape.count(size) > 1 and BITS[s].max() == 2 for s in found)

    def _numbered(self, examples: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Examples:
        tested = self._found.tested
        one, other = ([tuple(tested[r] for r in pair[i] if r < len(tested)) for pair in examples] for i in (0, 1))
        return tuple(zip(one, other, strict=True))

    def _told(
        self,
        kind: str,
        name: str,
        made: str | None,
        *,
        natural: bool = True,
        tensors: Sequence[str],
        examples: Examples = (),
    ) -> Mispairing:
        value = self._found.values.get(f"{name}:0")
        return Mispairing(
            **vars(self._lineage.place(name)),
            kind=kind,
            shapes=(*(self._found.sets[t].shape for t in tensors), value.shape if value is not None else None),
            parts=tuple("prediction" if split(t)[0] in self._learnt else "data" for t in tensors),
            natural=natural,
            comes_out=kind == "outer" and self._pairs_come_out(),
            made=None if made is None else self._lineage.place(made),
            examples=examples,
        )


def _placed(born: Origin) -> PlacedOp:
    return PlacedOp(node=born.node, op=born.op, sources=born.sources, call_sources=())
