"""Whether two ways to execute a call gave the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

ROUNDING = 64.0
"""Units in the last place of the largest element up to which two results are the same, for sums of few elements."""
APPROXIMATE = 4096.0
"""Units up to which they are the same but for another approximation of a function (a logarithm, a gamma function)."""


@dataclass(frozen=True)
class Outcome:
    """What a call gave: its results, or the kind of error (`InvalidArgumentError`) and its first line."""

    values: tuple[Any, ...] = ()
    error: str = ""
    words: str = ""


@dataclass(frozen=True)
class Difference:
    """How two outcomes differ: `kind` is "" (the same, or both raise), `rounding`, `approximation`, `sign-of-zero`,
    `denormal` (numbers below the smallest normal one are zeros), `value`, `infinity` or `nan` (one has it where the
    other has not), `dtype`, `shape`, `first-raises` or `second-raises`. `size` is the largest difference relative to
    the largest finite element, `shown` one element of each that differs.
    """

    kind: str = ""
    size: float = 0.0
    shown: tuple[str, str] = ("", "")


def difference(first: Outcome, second: Outcome) -> Difference:
    """How `second` (XLA) differs from `first` (eager execution)."""
    if first.error or second.error:
        return _of_errors(first, second)
    if len(first.values) != len(second.values):
        return Difference("shape", shown=(f"{len(first.values)} results", f"{len(second.values)} results"))
    found = [_of_arrays(a, b) for a, b in zip(first.values, second.values, strict=True)]
    return max(found, key=lambda d: _ORDER.index(d.kind), default=Difference())


_ORDER = ("", "rounding", "approximation", "sign-of-zero", "denormal", "value", "infinity", "nan", "dtype", "shape")


def _of_errors(first: Outcome, second: Outcome) -> Difference:
    if first.error and second.error:
        return Difference()
    if first.error:
        return Difference("first-raises", shown=(first.error, _brief(second.values)))
    return Difference("second-raises", shown=(_brief(first.values), second.error))


def _of_arrays(a: Any, b: Any) -> Difference:
    if a.shape != b.shape:
        return Difference("shape", shown=(str(list(a.shape)), str(list(b.shape))))
    if a.dtype != b.dtype:
        return Difference("dtype", shown=(str(a.dtype), str(b.dtype)))
    if a.dtype.kind in "OSU" or a.dtype.kind in "biu":
        apart = np.asarray(a != b)
        if not apart.any():
            return Difference()
        size = 0.0
        if a.dtype.kind in "iu":
            x, y = a[apart].astype(float), b[apart].astype(float)
            size = float(np.abs(x - y).max() / max(np.abs(a.astype(float)).max(), 1.0))
        return Difference("value", size, _element(a, b, apart))
    return _of_floats(a, b)


def _of_floats(a: Any, b: Any) -> Difference:
    eps = float(details(a).eps)
    x, y = _wide(a), _wide(b)
    for kind, test in (("nan", np.isnan), ("infinity", _infinite)):
        apart = test(x) != test(y)
        if apart.any():
            return Difference(kind, float("inf"), _element(a, b, apart))
    finite = np.isfinite(x)
    infinite = ~finite & ~np.isnan(x)
    if (x[infinite] != y[infinite]).any():
        return Difference("infinity", float("inf"), _element(a, b, infinite & (x != y)))
    scale = float(max(np.abs(x[finite]).max(), np.abs(y[finite]).max())) if finite.any() else 0.0
    far = np.where(finite, np.abs(np.where(finite, x, 0) - np.where(finite, y, 0)), 0.0)
    largest = float(far.max()) if far.size else 0.0
    if not largest:
        signs = np.signbit(x.real) != np.signbit(y.real)
        return (
            Difference("sign-of-zero", 0.0, _element(a, b, signs & finite)) if (signs & finite).any() else Difference()
        )
    # Numbers below the smallest normal one may be taken for zeros.
    size = largest / max(scale, float(details(a).tiny))
    if scale < float(details(a).tiny):
        return Difference("denormal", size, _element(a, b, far == far.max()))
    kind = "value" if size > APPROXIMATE * eps else "approximation" if size > ROUNDING * eps else "rounding"
    return Difference(kind, size, _element(a, b, far == far.max()))


def _infinite(values: Any) -> Any:
    return ~np.isfinite(values) & ~np.isnan(values)


def details(a: Any) -> Any:
    """The smallest normal number and the unit in the last place of the type of floating elements."""
    if a.dtype.name == "bfloat16":
        import ml_dtypes

        return ml_dtypes.finfo(a.dtype)
    return np.finfo(a.dtype)


def _wide(a: Any) -> Any:
    return a.astype(np.complex128 if a.dtype.kind == "c" else np.float64)


def _element(a: Any, b: Any, where: Any) -> tuple[str, str]:
    at = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(where)))
    pair = [np.atleast_1d(v)[at] for v in (a, b)]
    return _text(pair[0]), _text(pair[1])


def _text(element: Any) -> str:
    if np.asarray(element).dtype.kind in "fcV":
        wide = _wide(np.asarray(element))
        return f"{wide:.6g}" if wide.dtype.kind == "f" else f"{complex(wide):.5g}"
    return str(element)


def _brief(values: Sequence[Any]) -> str:
    if not values:
        return "nothing"
    flat = np.atleast_1d(values[0]).ravel()
    shown = ", ".join(_text(v) for v in flat[:4])
    return f"{list(np.shape(values[0]))}: {shown}{', ...' if flat.size > 4 else ''}"
