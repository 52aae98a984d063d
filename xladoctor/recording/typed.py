"""Types of foreign data: what a value must be, so that nobody who reads it further on has to ask."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Check = Callable[[Any], bool]

_LARGEST_WHOLE = 1 << 63
_LARGEST_SIZE = 1 << 48
_HIGHEST_RANK = 128
_LONGEST_NAME = 255


def anything(value: Any) -> bool:
    """Whatever JSON can hold."""
    return True


def text(value: Any) -> bool:
    """A string."""
    return isinstance(value, str)


def flag(value: Any) -> bool:
    """True or false."""
    return isinstance(value, bool)


def whole(value: Any) -> bool:
    """A whole number of 64 bits."""
    return isinstance(value, int) and not isinstance(value, bool) and -_LARGEST_WHOLE <= value < _LARGEST_WHOLE


def number(value: Any) -> bool:
    """A finite number."""
    return whole(value) or (isinstance(value, float) and math.isfinite(value))


def scalar(value: Any) -> bool:
    """None, a string, a truth value or a number."""
    return value is None or isinstance(value, str | bool | float) or whole(value)


def size(value: Any) -> bool:
    """The size of an axis, -1 for one that is open."""
    return isinstance(value, int) and not isinstance(value, bool) and -1 <= value < _LARGEST_SIZE


def shape(value: Any) -> bool:
    """Sizes, None for those that are not known."""
    return isinstance(value, list) and len(value) <= _HIGHEST_RANK and all(n is None or size(n) for n in value)


def entry(value: Any) -> bool:
    """The name of something in a folder, that leads nowhere else."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= _LONGEST_NAME
        and value not in (".", "..")
        and "/" not in value
        and "\0" not in value
    )


def maybe(check: Check) -> Check:
    """That, or None."""
    return lambda value: value is None or check(value)


def either(*checks: Check) -> Check:
    """One of several."""
    return lambda value: any(check(value) for check in checks)


def many(check: Check) -> Check:
    """A list of such."""
    return lambda value: isinstance(value, list) and all(map(check, value))


def mapping(check: Check) -> Check:
    """An object whose values are such."""
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def row(*checks: Check) -> Check:
    """A list that begins with these; more may follow."""
    return lambda value: (
        isinstance(value, list) and len(value) >= len(checks) and all(c(v) for c, v in zip(checks, value, strict=False))
    )


def pair(check: Check) -> Check:
    """A list of two such."""
    return lambda value: isinstance(value, list) and len(value) == 2 and all(map(check, value))


def record(needs: Mapping[str, Check], may: Mapping[str, Check] | None = None) -> Check:
    """An object that has every field in `needs`, and where it has one in `may`, of that type; others are not looked
    at.
    """
    return lambda value: isinstance(value, dict) and misfit(value, needs, may or {}) is None


def misfit(value: Mapping[str, Any], needs: Mapping[str, Check], may: Mapping[str, Check]) -> str | None:
    """The first field that is missing or of another type; None where all fit."""
    for name, check in needs.items():
        if name not in value or not check(value[name]):
            return name
    for name, check in may.items():
        if name in value and not check(value[name]):
            return name
    return None
