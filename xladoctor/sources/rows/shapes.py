"""Arrays that are joined, padded, or reshaped."""

from __future__ import annotations

import ast
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.rows import grids
from xladoctor.sources.rows.making import sizes_of
from xladoctor.sources.rows.values import Array, Items, Names, RowSet, arrays, linked

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader


def joined(reader: Reader, name: str, values: list[Any], named: Names, node: ast.AST) -> Any:
    """`concatenate`, `stack` and the like."""
    held = values[0]
    if isinstance(held, Array) and name == "concat":
        return None
    axis = named.get("axis", values[1] if len(values) > 1 and isinstance(values[1], int) else 0)
    if isinstance(held, Items) and held.block is not None:
        return replace(_looped(name, held, held.block), place=(reader.file, getattr(node, "lineno", 0)))
    parts = held.values if isinstance(held, Items) else []
    found = list(arrays(parts))
    if not found or len(found) < len(parts):
        return None
    beside = name in ("column_stack", "hstack") or axis not in (0, None)
    if beside:
        for other in found[1:]:
            linked(found[0], other)
        shape = (found[0].count, len(parts)) if all(a.shape and len(a.shape) == 1 for a in found) else None
        scaled, grid = frozenset[int]().union(*(a.scaled for a in found)), grids.grid_of(reader, found, node)
        return found[0].as_new(shape=shape, scaled=scaled, grid=grid, name="")
    return _below(name, found, node)


def _looped(name: str, held: Items, block: Array) -> Array:
    """The arrays that a loop made: parts of one, put together again, or one for each round."""
    rest = block.shape[1:] if block.shape is not None else None
    if name == "stack" or (name == "array" and not block.chunk):
        shape = None if block.shape is None else (held.count, *block.shape)
        return Array(None if block.chunk else held.over or RowSet(), shape)
    if block.chunk:
        return replace(block, shape=None if rest is None else (None, *rest), chunk=False, name="")
    count = held.count * block.count if held.count is not None and block.count is not None else None
    return Array(RowSet(), None if rest is None else (count, *rest), predicted=block.predicted)


def _below(name: str, found: list[Array], node: ast.AST) -> Array:
    """Arrays one below the other: padded where those that follow are zeros."""
    first, counts = found[0], [a.count for a in found]
    total = sum(c for c in counts if c is not None) if None not in counts else None
    flat = all(a.shape is not None and len(a.shape) == 1 for a in found) and len(set(counts)) == 1
    series = (len(found), counts[0] or 0) if flat and counts[0] and len(found) > 1 else None
    if name in ("stack", "vstack") and (name == "stack" or flat):
        shape = (len(found), *first.shape) if first.shape is not None else None
        return Array(RowSet(), shape)
    rest = first.shape[1:] if first.shape else ()
    zeros = len(found) == 2 and found[1].zeros and not first.zeros and counts[1] != 0
    shape = (total, *rest) if first.shape is not None else None
    if zeros:
        return first.as_new(rows=RowSet(source=first.rows), shape=shape, padded=getattr(node, "lineno", 0), name="")
    return Array(RowSet(), shape, series=series)


def padded(array: Array, values: list[Any], named: Names, node: ast.AST) -> Array | None:
    """`np.pad(x, ((0, k), (0, 0)))`: k rows more."""
    widths = named.get("pad_width", named.get("paddings", values[1] if len(values) > 1 else None))
    pairs = widths.values if isinstance(widths, Items) and widths.block is None else []
    pair = pairs[0].values if pairs and isinstance(pairs[0], Items) else []
    if len(pairs) < 2 or len(pair) != 2:
        return None
    if pair == [0, 0]:
        return array.as_new(shape=None, name="")
    more = pair[1] if isinstance(pair[1], int) else None
    if pair[0] != 0 or more is None or more <= 0 or array.count is None:
        return None
    shape = (array.count + more, *(array.shape or ())[1:])
    return array.as_new(rows=RowSet(source=array.rows), shape=shape, padded=getattr(node, "lineno", 0), name="")


def reshaped(reader: Reader, values: list[Any], node: ast.AST) -> Array | None:
    """The same numbers under other sizes, or axes that changed their places without their numbers."""
    array, sizes = values[0], values[1:]
    target = sizes_of(sizes[0] if len(sizes) == 1 and isinstance(sizes[0], Items) else Items(sizes))
    if not isinstance(array, Array) or target is None:
        return None
    if array.plane and (rows := grids.taken_flat(array, target)) is not None:
        return rows
    grids.reshape(reader, array, target, node)
    shape = _whole(array.shape, target)
    known = array.shape is not None and None not in array.shape
    if known and shape is not None and _swapped(array.shape, shape):
        reader.fault(
            "axes-by-reshape", node, (array.name or "the array",), tuple(n or 0 for n in (*(array.shape or ()), *shape))
        )
    if array.series is not None and shape == array.series[::-1] and array.series[0] != array.series[1]:
        reader.fault("series-by-reshape", node, (array.name or "the array",), array.series)
    if array.parts and shape is not None:
        sides = tuple(n for n in shape[1:] if n != 1)
        if None not in sides and sides != array.parts and sorted(sides) == sorted(array.parts):
            numbers = (shape[0] or 0, *array.parts, shape[0] or 0, *(n or 0 for n in sides))
            reader.fault("axes-by-reshape", node, (array.name or "the array",), numbers)
    rows_kept = shape is not None and array.shape is not None and shape[0] == array.count and array.count is not None
    if rows_kept or (target == (-1, 1) and (array.shape is None or len(array.shape) == 1)):
        flat = len(target) == 2 and known and array.shape is not None and len(array.shape) > 2
        parts = tuple(n for n in (array.shape or ())[1:] if n is not None and n != 1) if flat else ()
        return array.as_new(shape=shape, parts=parts, name="")
    if target == (-1,) and array.shape is not None and all(n == 1 for n in array.shape[1:]):
        return array.as_new(shape=(array.count,), name="")
    return Array(shape=shape, predicted=array.predicted, padded=array.padded)


def _whole(shape: Any, target: Any) -> Any:
    """The target with its -1 worked out."""
    if shape is None or None in shape or -1 not in target:
        return tuple(None if n == -1 else n for n in target)
    if None in target:
        return None
    rest = -math.prod(target)
    size = math.prod(shape)
    return tuple(size // rest if n == -1 else n for n in target) if rest > 0 and size % rest == 0 else None


def _swapped(shape: Any, target: Any) -> bool:
    """Whether the target has the same sizes at other places."""
    if None in target or len(shape) != len(target) or shape == target:
        return False
    moved = [n for n, m in zip(shape, target, strict=True) if n != m]
    return sorted(shape) == sorted(target) and 1 not in moved and len(set(moved)) > 1
