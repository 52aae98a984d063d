"""How far two arrays are apart: as a whole, in amplitude and phase, and row by row. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Results = dict[str, Array]

MAX_ROWS = 32
_BRIGHT = 1e-3
"""Below this part of the largest amplitude a phase is that of noise."""


def deviation(a: Array, b: Array) -> float:
    """The largest difference relative to the largest magnitude of both; 0 for equal arrays, also of other types.

    Values that are not finite must agree in kind and place, else it is infinite.
    """
    if a.dtype.kind not in "fciubV" or b.dtype.kind not in "fciubV":
        return 0.0 if np.array_equal(a, b) else float("inf")
    x, y = wide(a), wide(b)
    odd = ~np.isfinite(x) | ~np.isfinite(y)
    if odd.any() and not np.array_equal(x[odd], y[odd], equal_nan=True):
        return float("inf")
    x, y = x[~odd], y[~odd]
    if not x.size:
        return 0.0
    scale = max(float(np.abs(x).max()), float(np.abs(y).max()))
    return float(np.abs(x - y).max()) / scale if scale else 0.0


def amplitude_and_phase(a: Array, b: Array) -> tuple[float | None, float | None]:
    """(largest difference of amplitudes relative to the largest one, largest wrapped difference of phases in radians).

    (None, None) for arrays that are not complex, or of different shapes. A phase counts where both amplitudes are above
    a thousandth of the largest; None where there is no such place.
    """
    if "c" not in (a.dtype.kind, b.dtype.kind) or a.shape != b.shape or not a.size:
        return None, None
    x, y = a.astype(np.complex128), b.astype(np.complex128)
    fine = np.isfinite(x) & np.isfinite(y)
    x, y = x[fine], y[fine]
    if not x.size:
        return None, None
    p, q = np.abs(x), np.abs(y)
    scale = max(float(p.max()), float(q.max()))
    if not scale:
        return 0.0, None
    bright = (p > _BRIGHT * scale) & (q > _BRIGHT * scale)
    turned = np.abs(np.angle(x[bright] * np.conj(y[bright])))
    return float(np.abs(p - q).max()) / scale, float(turned.max()) if turned.size else None


def rows_apart(a: Array, b: Array, tolerance: float) -> list[int]:
    """The rows (of axis 0) in which two arrays of one shape differ by more than `tolerance` times the largest
    magnitude of both.
    """
    if a.shape != b.shape or not a.ndim or a.dtype.kind not in "fciubV":
        return []
    x, y = wide(a), wide(b)
    scale = max(_magnitude(x), _magnitude(y))
    with np.errstate(invalid="ignore"):
        far = ~((np.abs(x - y) <= tolerance * scale) | (x == y) | (np.isnan(x) & np.isnan(y)))
    return [int(i) for i in np.flatnonzero(far.reshape(len(far), -1).any(axis=1))]


def compared(name: str, a: Array | None, b: Array | None, tolerance: float | None) -> dict[str, Any]:
    """{"output", "shapes", "deviation", "tolerance", "amplitude", "phase", "rows"} of one output on two ways.

    `deviation` is None where the shapes differ or a side is missing, and "inf" where it is infinite; `rows` are the
    first rows that are farther apart than the tolerance.
    """
    told: dict[str, Any] = {
        "output": name,
        "shapes": [None if v is None else list(v.shape) for v in (a, b)],
        "deviation": None,
        "tolerance": tolerance,
        "amplitude": None,
        "phase": None,
        "rows": [],
    }
    if a is None or b is None or a.shape != b.shape:
        return told
    found = deviation(a, b)
    told["amplitude"], told["phase"] = amplitude_and_phase(a, b)
    if tolerance is not None and not found <= tolerance:
        told["rows"] = rows_apart(a, b, tolerance)[:MAX_ROWS]
    told["deviation"] = as_json(found)
    return told


def as_json(number: float) -> float | str:
    """A deviation as JSON can hold it."""
    return number if np.isfinite(number) else "inf"


def is_apart(told: Mapping[str, Any]) -> bool:
    """Whether `compared` found other shapes, or more than the tolerance."""
    if told["deviation"] is None:
        return bool(told["shapes"][0] != told["shapes"][1])
    return bool(told["deviation"] == "inf" or told["deviation"] > (told["tolerance"] or 0.0))


def _magnitude(x: Array) -> float:
    finite = np.abs(x[np.isfinite(x)])
    return float(finite.max()) if finite.size else 0.0


def wide(a: Array) -> Array:
    """An array in the widest type of its kind; bfloat16 and the like are known to NumPy by cast only."""
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def rows_in(mask: Any) -> list[int]:
    """The rows that a mask of row sets names."""
    return [n for n in range(8) if int(mask) >> n & 1]


def picture_axes(shape: Sequence[int]) -> tuple[int, int]:
    """The two longest axes but for that of the rows, in their order."""
    first, second = sorted(sorted(range(1, len(shape)), key=lambda a: -shape[a])[:2])
    return first, second
