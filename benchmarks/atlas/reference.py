"""How far two ways are from a result in float64: which of them an error of rounding explains, and which not.

The same call runs eagerly on the same numbers in the wide type. Its result is rounded to the narrow type before NaN and
infinities are compared, so that what the narrow type can't hold counts for none of the ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.atlas.compare import Outcome, details
from benchmarks.atlas.edges import Edge, typed
from benchmarks.provoke.bases import Call
from benchmarks.provoke.values import BFLOAT16, COMPLEX64, COMPLEX128, DOUBLE, FLOAT, HALF, Value

if TYPE_CHECKING:
    from benchmarks.atlas.run import Ways

_WIDE = {FLOAT: DOUBLE, HALF: DOUBLE, BFLOAT16: DOUBLE, COMPLEX64: COMPLEX128}
NUMBERS = frozenset({"rounding", "approximation", "denormal", "value", "infinity", "nan"})
"""Kinds of difference in which both ways gave numbers of the same shape."""


class Reference:
    """The results of one call in float64 (or complex128), made when they are first asked for."""

    def __init__(self, ways: Ways) -> None:
        self._narrow = ways
        self._wide: Ways | None = None
        self._name = _narrow_input(ways.call)

    def errors(self, edge: Edge, outcomes: Mapping[str, Outcome]) -> dict[str, float]:
        """{way: units in the last place of its type that it is from the result in float64}, infinite where one has a
        NaN or an infinity and the other has not; empty where there is no such result.
        """
        if self._name is None:
            return {}
        wanted = self._outcome(edge, self._name)
        if wanted is None or wanted.error:
            return {}
        found = {way: error(wanted, outcomes[way]) for way in ("eager", "xla")}
        return {way: far for way, far in found.items() if far is not None} if None not in found.values() else {}

    def _outcome(self, edge: Edge, name: str) -> Outcome | None:
        from benchmarks.atlas.run import ways_of

        call = self._narrow.call
        given = dict(call.inputs)
        old = _first(given[name]).dtype
        if self._wide is None:
            other = typed(call, name, _WIDE[old])
            try:
                self._wide = None if other is None else ways_of(other)
            except (ValueError, TypeError):  # an op or a layer that knows no wide type
                self._name = None
            if self._wide is None:
                return None
            self._narrow.lend(self._wide)
        alike = {key for key, value in given.items() if _first(value).dtype == old}
        arrays = {key: _widened(a, old) if key in alike else a for key, a in edge.arrays.items()}
        ways, wide = self._wide, replace(edge, arrays=arrays)
        try:
            inputs = ways.tensors(wide)
            keep = ways.mask(inputs) if edge.dynamic else None
        except (ValueError, TypeError):
            return None
        return ways.outcome(lambda: ways.body(inputs, keep))


def error(wanted: Outcome, found: Outcome) -> float | None:
    """The units in the last place of the largest element that `found` is from `wanted`, in the worst of its floating
    results; infinite where NaN, infinities or shapes differ. None where nothing can be said.
    """
    if found.error or len(found.values) != len(wanted.values):
        return None
    pairs = [(w, f) for w, f in zip(wanted.values, found.values, strict=True) if f.dtype.kind in "fcV"]
    if any(w.dtype.itemsize <= f.dtype.itemsize for w, f in pairs):
        return None  # a result that keeps its narrow type
    return max((_apart(w, f) for w, f in pairs), default=None)


def _apart(wanted: Any, found: Any) -> float:
    if wanted.shape != found.shape:
        return float("inf")
    limits = details(found)
    with np.errstate(all="ignore"):
        rounded = wanted.astype(found.dtype).astype(wanted.dtype)
        values = found.astype(wanted.dtype)
        if not np.array_equal(np.isnan(rounded), np.isnan(values)):
            return float("inf")
        finite = np.isfinite(rounded)
        infinite = ~finite & ~np.isnan(rounded)
        if not np.array_equal(finite, np.isfinite(values)) or (rounded[infinite] != values[infinite]).any():
            return float("inf")
        if not finite.any():
            return 0.0
        scale = max(float(np.abs(wanted[finite]).max()), float(limits.tiny))
        return float(np.abs(values[finite] - wanted[finite]).max()) / (scale * float(limits.eps))


def _widened(array: Any, dtype: int) -> Any:
    if isinstance(array, list):
        return [_widened(one, dtype) for one in array]
    if dtype == BFLOAT16:
        import ml_dtypes

        array = array.astype(ml_dtypes.bfloat16)
    return array.astype(np.complex128 if dtype == COMPLEX64 else np.float64)


def _narrow_input(call: Call) -> str | None:
    """The first input whose type has a wider one."""
    return next((name for name, value in call.inputs if _first(value).dtype in _WIDE), None)


def _first(value: Value | tuple[Value, ...]) -> Value:
    return value if isinstance(value, Value) else value[0]
