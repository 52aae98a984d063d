"""Arrays that meet: by positions of one in the other, or row by row."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from xladoctor.sources.rows.grids import grid_of
from xladoctor.sources.rows.values import Array, RowSet, Shape, linked, may_be_one, same, whole

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader


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
    _match(reader, array, at, node)
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


def _match(reader: Reader, array: Array, at: Array, node: ast.AST) -> None:
    rows, of = array.rows, at.of
    if rows is None or of is None or same(rows, of):
        return
    if at.order and same(rows, at.picks) and rows.order:
        if same(of, rows.source):
            reader.fault("ordered-twice", node, (array.name or "the array", at.name or "the order"))
    elif of.root().source is not None and same(of.root().source, rows) and not of.order:
        reader.fault("foreign-positions", node, (at.name or "the positions", of.text, array.name or "the array"))


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
    made = main.as_new(
        scaled=scaled, place=place, grid=grid, across=across, predicted=any(a.predicted for a in full), name="",
        shape=_broadcast([a.shape for a in full]) or main.shape, integral=all(a.integral for a in full),
    )  # fmt: skip
    if main.statistic is not None:
        return replace(made, statistic=main.statistic)
    reader.kept.extend(of)
    return replace(made, padded=next((a.padded for a in full if a.padded is not None and a.predicted), None))
