"""Arrays that meet: by positions of one in the other, or row by row."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.rows.grids import grid_of
from xladoctor.sources.rows.values import Array, RowSet, Shape, linked, may_be_one, same, whole

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader


_LEAST = 5
_MEANT = ("baseline", "chance", "control", "importance", "null")
"""What a statement says that mixes rows to see what remains."""


def indexed(reader: Reader, array: Array, at: Array, node: ast.AST) -> Array | None:
    """`array[at]`: is `at` of positions in these rows?"""
    rest = array.shape[1:] if array.shape else ()
    shape = (at.count, *rest) if array.shape is not None else None
    if at.of is None:
        if at.integral and at.count is not None and at.shape is not None and len(at.shape) == 1:
            return Array(at.rows, shape if array.shape is not None else None)
        if at.picks is None:
            return None
        if at.rows is not None and array.rows is not None and not same(at.picks, array.rows):
            _of_mask(at.rows, array.rows)
        return replace(array, rows=at.picks, shape=None, picks=None, padded=None, name="")
    match(reader, array, at, node)
    if array.rows is not None and at.of.source is None and array.rows.root().source is None:
        at.of.join(array.rows)
    picked = replace(array, rows=at.picks, shape=shape, padded=None, grid=None, chunk=at.chunk, order=False, name="")
    # What is mixed after the prediction may be meant so: the distribution of a chance.
    return replace(
        picked,
        predicted=array.predicted and not at.order,
        picks=RowSet(source=array.of) if array.of is not None else None,
    )


def _of_mask(mask: RowSet, rows: RowSet) -> None:
    """A mask has the rows of what is indexed with it."""
    if mask.root() is not rows.root() and mask.root().source is None:
        mask.join(rows)


def match(reader: Reader, array: Array, at: Array, node: ast.AST) -> None:
    """A fault, where positions count within other rows than those that they index."""
    rows, of = array.rows, at.of
    if rows is None or of is None or same(rows, of):
        return
    if at.order and same(rows, at.picks) and rows.order:
        if same(of, rows.source):
            reader.fault("ordered-twice", node, (array.name or "the array", at.name or "the order"))
    elif of.root().source is not None and not of.order and _is_whole(of.root().source, rows, array):
        whole_one = array.name or _subject(node) or "the array"
        reader.fault("foreign-positions", node, (at.name or "the positions", of.root().text or of.text, whole_one))


def _subject(node: ast.AST) -> str:
    """What is indexed by a subscript, or by a call of `gather`."""
    of = node.value if isinstance(node, ast.Subscript) else next(iter(getattr(node, "args", ())), None)
    return ast.unparse(of)[:60] if of is not None else ""


def _is_whole(source: RowSet | None, rows: RowSet, array: Array) -> bool:
    """Whether an array has the rows that a part was chosen from, or has as many as these and was not chosen itself."""
    if source is None or same(source, rows):
        return source is not None
    alike = source.root().count == array.count is not None and array.count >= _LEAST
    return alike and rows.root().source is None and source.root().source is None


def meet(reader: Reader, one: Array, other: Array, node: ast.AST, first: Array | None = None) -> None:
    """Two arrays are combined row by row. Labels in another order may be a control; predictions, and what a `fit` has
    `first`, are not.
    """
    if reader.statement is not None and any(w in ast.unparse(reader.statement).lower() for w in _MEANT):
        return
    if one.labelled and other.labelled:
        return
    for left, right in ((one, other), (other, one)):
        if left.rows is None or right.rows is None:
            continue
        rows, source = whole(left.rows, right.rows)
        if same(rows, source):
            continue
        if rows.order and same(rows.source, source) and (left.predicted or left is first):
            reader.fault("other-order", node, (left.name or "one side", rows.text, right.name or "the other side"))
            return
        if rows.order and source.order and same(rows.source, source.source) and rows.root() is not source.root():
            sides = (left.name or "one side", right.name or "the other side", rows.text, source.text)
            places = [reader.lines[id(r)] for r in (rows, source) if id(r) in reader.lines]
            reader.fault("two-orders", node, sides, place=max(places, key=lambda p: p[1], default=("", 0)))
            return


def compared(values: Sequence[Any]) -> Array | None:
    """A table of all rows of one with all of the other, whose columns are the rows of the second."""
    if len(values) < 2 or not isinstance(values[1], Array):
        return None
    first = values[0] if isinstance(values[0], Array) else Array(RowSet())
    return first.as_new(shape=None, across=values[1].rows, integral=False, name="")


def _broadcast(shapes: list[Shape | None]) -> Shape | None:
    """The sizes of what is computed of arrays of these, where all are known to have so many axes."""
    known = [s for s in shapes if s is not None]
    if len(known) < len(shapes) or len(known) < 2:
        return None
    ranks = max(len(s) for s in known)
    made: list[int | None] = []
    for axis in range(-ranks, 0):
        sizes = {s[axis] for s in known if len(s) >= -axis} - {1}
        if len(sizes - {None}) > 1:
            return None
        made.append(next(iter(sizes - {None}), None) if sizes else 1)
    return tuple(made)


def _is_shifted(one: Array, other: Array) -> bool:
    """Whether both are cut from one array by other slices, as in `x[1:] - x[:-1]`."""
    cuts = [a.rows.cut for a in (one, other) if a.rows is not None and a.rows.cut is not None]
    return len(cuts) == 2 and same(cuts[0][0], cuts[1][0]) and cuts[0][1] != cuts[1][1]


def elementwise(reader: Reader, found: list[Array], node: ast.AST) -> Array:
    """What an operation row by row gives; a statistic has no rows of its own."""
    full = [a for a in found if a.statistic is None] or found[:1]
    main = max(full, key=lambda a: (len(a.shape or (1,)), a.rows is not None))
    partners = [a for a in full if a is not main and a.rows is not None and may_be_one(a, main)]
    for other in partners:
        meet(reader, main, other, node)
        linked(main, other)
    of = [a.statistic for a in found if a.statistic is not None and a.statistic is not None]
    scaled = main.scaled.union(*(a.scaled for a in partners), {id(o) for o in of})
    place = (reader.file, getattr(node, "lineno", 0)) if of else main.place
    grid, across = grid_of(reader, full, node), next((a.across for a in full if a.across is not None), None)
    shifted = any(_is_shifted(main, other) for other in partners)
    made = main.as_new(
        rows=RowSet() if shifted else main.rows,
        scaled=scaled, place=place, grid=grid, across=across, predicted=any(a.predicted for a in full), name="",
        shape=_broadcast([a.shape for a in full]) or main.shape, integral=all(a.integral for a in full),
    )  # fmt: skip
    if main.statistic is not None:
        return replace(made, statistic=main.statistic)
    reader.kept.extend(of)
    return replace(made, padded=next((a.padded for a in full if a.padded is not None and a.predicted), None))
