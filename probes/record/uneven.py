"""Lists whose elements do not have one shape, in the frames of a failure that says so of some list.

Of each element only its shape is read, or its length where it is a list itself.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from .. import compat

MAX_SECONDS = 0.1
_MAX_LISTS = 8
_MAX_ELEMENTS = 50_000
_MAX_SHAPES = 6
_SAYS_SO = (
    "inhomogeneous shape", "array element with a sequence", "non-rectangular", "nsupported object type",
    "arrays must have the same shape", "arrays must be of the same length", "must have same number of dimensions",
    "dimensions except for the concatenation axis", "hapes of all inputs must match",
)  # fmt: skip


def says_so(message: str) -> bool:
    """Whether a message is about elements that differ in shape."""
    return any(text in message for text in _SAYS_SO)


class UnevenLists:
    """What the frames of one failure hold, within a bound on its time."""

    def __init__(self) -> None:
        self._until = time.monotonic() + MAX_SECONDS
        self._left = _MAX_ELEMENTS

    def of(self, names: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The lists, tuples and dicts among some variables whose elements have several shapes: for each its name, its
        length, and for each shape the number of elements and the first of them, by its place or its key.
        """
        found: list[dict[str, Any]] = []
        for name, value in list(names.items()):
            if type(value) not in (list, tuple, dict) or len(value) < 2 or len(found) >= _MAX_LISTS:
                continue
            with contextlib.suppress(Exception):  # the shape of an element may be a property of the program's own
                shapes = self._shapes(value)
                if shapes is not None and len(shapes) > 1:
                    told = [{"shape": list(k), "count": n, "first": first} for k, (n, first) in shapes.items()]
                    found.append({"name": name, "length": len(value), "shapes": told[:_MAX_SHAPES]})
        return found

    def _shapes(self, value: Any) -> dict[tuple[int | None, ...], tuple[int, Any]] | None:
        """How many elements have each shape, and which is the first; None where one has none, or time is over."""
        shapes: dict[tuple[int | None, ...], tuple[int, Any]] = {}
        for place, element in _elements(value):
            self._left -= 1
            shape = _shape(element)
            if shape is None or self._left < 0 or (self._left % 256 == 0 and time.monotonic() > self._until):
                return None
            count, first = shapes.get(shape, (0, place))
            shapes[shape] = (count + 1, first)
        return shapes


def _elements(value: Any) -> Iterator[tuple[Any, Any]]:
    if type(value) is dict:
        return iter([(k[:60] if type(k) is str else number, v) for number, (k, v) in enumerate(list(value.items()))])
    return enumerate(list(value))


def _shape(element: Any) -> tuple[int | None, ...] | None:
    if type(element) in (list, tuple):
        return (len(element),)
    if type(element) in (int, float, bool, complex):
        return ()
    info = compat.tensor_info(element)
    return None if info is None or info.shape is None else tuple(info.shape)
