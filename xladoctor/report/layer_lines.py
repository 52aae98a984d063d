"""The layers of a trace in few lines: those that are alike stand once, and the deepest are left out first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xladoctor.model.location import Location
from xladoctor.model.trace import LayerRow
from xladoctor.report import trace_words

MOST = 40
_ALIKE = 3
"""From so many repetitions on, layers that are alike are shown once."""
_PERIOD = 4
"""So many layers at most make a pattern that repeats: a convolution, its normalization, its activation, its pooling."""


@dataclass(frozen=True)
class LayerLine:
    """One line: a layer, or, with `row` None, `count` layers that are left out, at a depth.

    `blocks` is how many repetitions of the `pattern` layers above it are left out, with all that is below them: 0
    where what is left out is no repetition.
    """

    row: LayerRow | None
    count: int = 1
    depth: int = 0
    blocks: int = 0
    pattern: int = 1
    above: tuple[int, ...] = ()
    """The batch sizes of the model that the layer is part of, which its line has already."""

    @property
    def title(self) -> str:
        """`· dense_1 (Dense)`, or how many layers are left out; a dot for each model that it is in."""
        said = self.words if self.row is None else f"{self.row.name} ({self.row.cls})"
        return "· " * self.depth + said

    @property
    def shapes(self) -> tuple[str, str]:
        """What goes in, and what comes out; empty texts where layers are left out."""
        row = self.row
        return ("", "") if row is None else (trace_words.shapes(row.inputs), trace_words.shapes(row.outputs))

    @property
    def places(self) -> tuple[Location, ...]:
        """The lines that made the layer and called it, each once."""
        lines = (self.row.made, self.row.called) if self.row is not None else ()
        return tuple(dict.fromkeys(line for line in lines if line is not None))

    @property
    def facts(self) -> str:
        """`35,702 parameters, batch 4, 8`: what is known of the layer beside its shapes."""
        row = self.row
        if row is None:
            return ""
        said = [f"{row.parameters:,} parameter{'s' * (row.parameters != 1)}"] if row.parameters else []
        said += [f"batch {', '.join(map(str, row.batches))}"] if row.batches not in ((), self.above) else []
        return ", ".join(said)

    @property
    def words(self) -> str:
        """What stands in the line of layers that are left out."""
        if self.blocks:
            like = "it" if self.pattern == 1 else f"these {self.pattern}"
            layers = "" if self.blocks == self.count else f", {self.count} layers"
            return f"… {self.blocks} more like {like}{layers}"
        return f"… {self.count} more {'layer' if self.count == 1 else 'layers'}"


@dataclass(frozen=True)
class _Tree:
    row: LayerRow
    below: tuple[_Tree, ...]

    @property
    def count(self) -> int:
        return 1 + sum(tree.count for tree in self.below)

    @property
    def kind(self) -> tuple[object, ...]:
        """What layers that are alike have in common: all but their names and lines."""
        row = self.row
        return row.cls, repr(row.inputs), repr(row.outputs), row.parameters, tuple(tree.kind for tree in self.below)


def folded(rows: Sequence[LayerRow], most: int = MOST) -> list[LayerLine]:
    """The layers in at most `most` lines (at least three)."""
    lines = [LayerLine(row, 1, row.depth) for row in rows] if len(rows) <= most else _folded(rows, most)
    return list(_below_models(lines))


def _below_models(lines: Sequence[LayerLine]) -> Iterator[LayerLine]:
    above: tuple[int, ...] = ()
    for line in lines:
        yield replace(line, above=above if line.depth else ())
        if line.row is not None and not line.depth:
            above = line.row.batches


def _folded(rows: Sequence[LayerRow], most: int) -> list[LayerLine]:
    trees = _trees(rows)
    deepest = max(row.depth for row in rows)
    best = _cut(list(_lines(trees, 0, 0, most)), most)
    for depth in range(deepest + 1):
        # Of the level that does not fit whole, as many layers below each as there is room for.
        few = next((n for n in range(most, 0, -1) if _fits(trees, depth, n, most)), None)
        if few is None:
            break
        best = list(_lines(trees, 0, depth, few))
        if few < most:
            break
    return best


def _fits(trees: Sequence[_Tree], depth: int, few: int, most: int) -> bool:
    return sum(1 for _ in _lines(trees, 0, depth, few)) <= most


def _lines(trees: Sequence[_Tree], at: int, deepest: int, few: int) -> Iterator[LayerLine]:
    """The lines down to a depth; at that depth at most `few` of each parent."""
    groups = list(_groups(trees))
    room = few if at == deepest else len(trees)
    left = 0
    for shown, others in groups:
        if room < len(shown):
            room = 0
            left += sum(tree.count for tree in (*shown, *others))
            continue
        room -= len(shown)
        for tree in shown:
            yield LayerLine(tree.row, 1, at)
            if tree.below and at < deepest:
                yield from _lines(tree.below, at + 1, deepest, few)
            elif tree.below:
                yield LayerLine(None, tree.count - 1, at + 1)
        if others:
            yield LayerLine(None, sum(tree.count for tree in others), at, len(others) // len(shown), len(shown))
    if left:
        yield LayerLine(None, left, at)


def _groups(trees: Sequence[_Tree]) -> Iterator[tuple[Sequence[_Tree], Sequence[_Tree]]]:
    """(what is shown, its repetitions): neighbours that repeat in ones, twos, threes or fours; others alone."""
    kinds = [tree.kind for tree in trees]
    at = 0
    while at < len(trees):
        width, end = 1, at + 1
        for period in range(1, _PERIOD + 1):
            repeated = at + period
            while kinds[repeated : repeated + period] == kinds[at : at + period]:
                repeated += period
            if repeated - at >= _ALIKE * period:
                width, end = period, repeated
                break
        yield trees[at : at + width], trees[at + width : end]
        at = end


def _trees(rows: Sequence[LayerRow]) -> list[_Tree]:
    """The rows with those below each: a row's depth says whose it is."""
    found: list[_Tree] = []
    at = 0
    while at < len(rows):
        end = at + 1
        while end < len(rows) and rows[end].depth > rows[at].depth:
            end += 1
        found.append(_Tree(rows[at], tuple(_trees(rows[at + 1 : end]))))
        at = end
    return found


def _cut(lines: list[LayerLine], most: int) -> list[LayerLine]:
    if len(lines) <= most:
        return lines
    return [*lines[: most - 1], LayerLine(None, sum(line.count for line in lines[most - 1 :]))]
