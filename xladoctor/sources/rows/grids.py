"""Rows that are repeated: each one, or all of them as a whole. Such rows are a grid, whose inner rows are next to each
other, and two of one program have to be the same grid.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.rows.values import Array, Items, Named, Names, RowSet, arrays

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

COPIES = frozenset({"repeat", "tile"})
Grid = tuple[int | None, int | None]


def repeated(name: str, array: Array, values: Sequence[Any], named: Names) -> Array | None:
    """`repeat(x, k, axis=0)` and `tile(x, (k, 1))`: (rows, k) and (k, rows)."""
    times = _times(name, array, values, named)
    if times is None:
        return None
    count = array.count
    rest = array.shape[1:] if array.shape else None
    known = count is not None and isinstance(times, int)
    shape = None if rest is None else (count * times if known and count is not None else None, *rest)
    many = times if isinstance(times, int) else None
    grid: Grid = (count, many) if name == "repeat" else (many, count)
    rows = RowSet(source=array.rows)
    return array.as_new(rows=rows, shape=shape, grid=grid, name="")


def _times(name: str, array: Array, values: Sequence[Any], named: Names) -> Any:
    """How often the rows are repeated, if it is the rows that are; a text where the number is not known."""
    flat = array.shape is not None and len(array.shape) == 1
    if name == "repeat":
        axis = named.get("axis", values[2] if len(values) > 2 else None)
        times = named.get("repeats", values[1] if len(values) > 1 else None)
        return (
            (times or "?") if (axis == 0 or (axis is None and flat)) and not isinstance(times, Array | Items) else None
        )
    times = named.get("reps", named.get("multiples", values[1] if len(values) > 1 else None))
    if not isinstance(times, Items):
        return (times or "?") if flat and not isinstance(times, Array) else None
    parts = times.values
    same = len(parts) == len(array.shape or parts) and all(p == 1 for p in parts[1:])
    return (parts[0] or "?") if parts and same else None


def meshed(given: Sequence[Any], named: Names) -> Items | None:
    """`meshgrid(x, y)`: a row for each of y, a column for each of x; with `indexing="ij"` the other way round."""
    counts = [v.count if isinstance(v, Array) else None for v in given]
    if len(counts) != 2 or named.get("indexing", "xy") not in ("xy", "ij"):
        return None
    shape = tuple(counts if named.get("indexing") == "ij" else counts[::-1])
    return Items([Array(RowSet(), shape, plane=True) for _ in counts])


def all_pairs(given: Sequence[Any]) -> Array | None:
    """`product(a, b)`, and `[(i, j) for i in a for j in b]`: the items of b are next to each other."""
    counts = [v.count if isinstance(v, Array) else None for v in given]
    if len(counts) != 2:
        return None
    outer, inner = counts
    many = outer * inner if outer is not None and inner is not None else None
    return Array(RowSet(), (many, 2), grid=(outer, inner))


def taken_flat(array: Array, target: Sequence[int | None]) -> Array | None:
    """A plane as rows, by `ravel()`, `reshape(-1)` or `reshape(-1, 1)`."""
    if array.shape is None or len(array.shape) != 2 or tuple(target) not in ((-1,), (-1, 1)):
        return None
    outer, inner = array.shape
    many = outer * inner if outer is not None and inner is not None else None
    return Array(RowSet(), (many, *target[1:]), grid=(outer, inner))


def side_by_side(reader: Reader, data: Items | Named, node: ast.AST) -> Array | None:
    """The rows of a model's several inputs."""
    found = list(arrays(data.values if isinstance(data, Items) else list(data.values.values())))
    if not found:
        return None
    grid = grid_of(reader, found, node)
    return found[0] if grid is None else replace(found[0], grid=grid)


def grid_of(reader: Reader, found: Sequence[Array], node: ast.AST) -> Grid | None:
    """That of arrays which stand side by side."""
    known = [a for a in found if a.grid is not None]
    for one in known[1:]:
        grid, other = known[0].grid, one.grid
        if grid is not None and other is not None and _fits(grid, other[::-1]) and not _fits(grid, other):
            names = (known[0].name or "the first", one.name or "the second")
            reader.fault("two-grids", node, names, tuple(n or 0 for n in grid))
    return known[0].grid if known else None


def _fits(one: Grid, other: Grid) -> bool:
    """Whether two grids can be one, and something says so."""
    known = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return bool(known) and all(a == b for a, b in known)


def _splits_rows(array: Array, target: Sequence[int | None]) -> bool:
    """Whether the first two sizes are of rows, and what each row has stays behind them."""
    own = [n for n in (array.shape or ())[1:] if n != 1]
    if array.shape is None or None in own:
        return array.predicted and len(target) == 2
    return own == [n for n in target[2:] if n != 1]


def reshape(reader: Reader, array: Array, target: Sequence[int | None], node: ast.AST) -> None:
    """A grid that is reshaped to (inner, outer)."""
    if array.grid is None or len(target) < 2 or not _splits_rows(array, target):
        return
    outer, inner = array.grid
    first, second = target[:2]
    if first in (outer, -1) and second in (inner, -1):
        return
    turned = first == inner is not None and second in (outer, -1) and inner != outer
    if turned or (second == outer is not None and first in (inner, -1) and inner != outer):
        reader.fault(
            "grid-by-reshape", node, (array.name or "the array",), tuple(n or 0 for n in (*array.grid, first, second))
        )
