"""What of an array is not finite, and which values of an op's inputs made it: pure functions on NumPy arrays."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
"""A NumPy array of floats (also bfloat16 and the like, which TensorFlow registers with NumPy)."""


@dataclass(frozen=True)
class Flags:
    """Whether there is a NaN among the values, and an infinity."""

    nan: bool
    inf: bool

    def __bool__(self) -> bool:
        return self.nan or self.inf

    def has(self, kind: str) -> bool:
        """Of "nan" or "inf"."""
        return self.nan if kind == "nan" else self.inf


FINITE = Flags(False, False)


def flags(array: Array) -> Flags:
    """What of it is not finite."""
    if np.isfinite(array).all():
        return FINITE
    nan = bool(np.isnan(array).any())
    return Flags(nan, not nan or bool(np.isinf(array).any()))


def first(array: Array, kind: str) -> tuple[int, ...]:
    """The index of the first NaN ("nan") or infinity ("inf")."""
    bad = np.isnan(array) if kind == "nan" else np.isinf(array)
    return tuple(int(i) for i in np.unravel_index(int(np.argmax(bad)), bad.shape)) if bad.ndim else ()


def largest(array: Array) -> float | None:
    """The largest magnitude among the finite values; None where there is none."""
    if not array.size:
        return None
    size = np.abs(np.asarray(array, np.float64)) if array.dtype.kind != "c" else np.abs(array)
    finite = size[np.isfinite(size)]
    return float(finite.max()) if finite.size else None


def describe(array: Array, index: tuple[int, ...] | None, shape: tuple[int, ...]) -> dict[str, Any]:
    """Type, shape and range of an input, and `at`: its value that goes with the element `index` of an output of
    `shape`, where the two broadcast together.
    """
    found: dict[str, Any] = {
        "dtype": str(array.dtype),
        "shape": list(array.shape),
        "at": None,
        "min": None,
        "max": None,
    }
    if array.dtype.kind == "c" or not array.size:
        return found
    wide = np.asarray(array, np.float64)
    found |= {"min": float(np.nanmin(wide)) if not np.isnan(wide).all() else None}
    found |= {"max": float(np.nanmax(wide)) if not np.isnan(wide).all() else None}
    if index is not None:
        with contextlib.suppress(ValueError):
            found["at"] = float(np.broadcast_to(wide, shape)[index])
    return found
