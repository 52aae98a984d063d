"""`tf.function` objects: which graphs were traced for each, and how often it was called."""

from __future__ import annotations

import itertools
import weakref
from dataclasses import dataclass, field
from typing import Any

_MOST = 2000


@dataclass
class Owner:
    """A `tf.function` object.

    Attributes:
        number: its number in this process.
        generation: of the settings, at its last call.
        graphs: that were traced for it.
        fresh: whether the last one was traced just now.
        calls: how often it was called with success.
    """

    number: int
    generation: int
    graphs: list[str] = field(default_factory=list)
    fresh: bool = False
    calls: int = 0


class Owners:
    """All of a process. An object that is gone keeps its counts, so that they can be written at the end."""

    def __init__(self) -> None:
        self._alive: weakref.WeakKeyDictionary[Any, Owner] = weakref.WeakKeyDictionary()
        self._numbers = itertools.count(1)
        self._all: list[Owner] = []

    def of(self, function: Any, generation: int) -> Owner:
        """What is known of a `tf.function` object."""
        found = self._alive.get(function)
        if found is None:
            found = self._alive[function] = Owner(next(self._numbers), generation)
            if len(self._all) < _MOST:
                self._all.append(found)
        return found

    def calls(self) -> dict[str, int]:
        """{number: calls} of those that were traced."""
        return {str(owner.number): owner.calls for owner in self._all if owner.graphs}
