"""Which batches show a program something that none before has: another shape, a smaller or larger number, a NaN.

A rehearsal that cannot run every batch runs these. The last partial batch has a shape of its own; an index that is out
of range is the largest of its data, and what makes a logarithm fail is the smallest.
"""

from __future__ import annotations

import math
from typing import Any

from .. import compat
from .values import leaves

_MAX_BYTES = 64 << 20


class Novelty:
    """Remembers the batches that it was shown."""

    def __init__(self) -> None:
        self._shapes: set[tuple[Any, ...]] = set()
        self._ranges: dict[int, tuple[float, float]] = {}
        self._not_finite: set[int] = set()

    def of(self, batch: Any) -> bool:
        """Whether this batch shows something new; it is remembered from now on."""
        flat = list(leaves(batch))
        shapes = tuple(tuple(compat.dims(getattr(leaf, "shape", ())) or ()) for leaf in flat)
        new = shapes not in self._shapes
        self._shapes.add(shapes)
        for number, leaf in enumerate(flat):
            new |= self._numbers(number, leaf)
        return new

    def _numbers(self, number: int, leaf: Any) -> bool:
        array = _array(leaf)
        if array is None:
            return False
        low, high = float(array.min()), float(array.max())
        if not (math.isfinite(low) and math.isfinite(high)):
            new = number not in self._not_finite
            self._not_finite.add(number)
            return new
        before = self._ranges.get(number)
        if before is None:
            self._ranges[number] = low, high
            return True
        self._ranges[number] = min(low, before[0]), max(high, before[1])
        return low < before[0] or high > before[1]


def rows(batch: Any) -> int | None:
    """The length of the first axis of a batch's first tensor that has one."""
    for leaf in leaves(batch):
        shape = compat.dims(getattr(leaf, "shape", ())) if hasattr(leaf, "shape") else None
        if shape:
            return shape[0]
    return None


def _array(leaf: Any) -> Any:
    """The numbers of a leaf as an array; None where it holds none, or too many to look at."""
    array = leaf.numpy() if hasattr(leaf, "numpy") else leaf
    if not hasattr(array, "dtype") or not getattr(array, "size", 0) or getattr(array, "nbytes", 0) > _MAX_BYTES:
        return None
    # bfloat16 and the like have the kind "V" but can be compared.
    return array if array.dtype.kind in "iuf" or str(array.dtype).startswith(("bfloat", "float")) else None
