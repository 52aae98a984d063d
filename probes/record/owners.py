"""`tf.function` objects: which graphs were traced for each, and how often it was called."""

from __future__ import annotations

import itertools
import threading
import weakref
from dataclasses import dataclass, field
from typing import Any

_MOST = 2000


@dataclass
class Owner:
    """A `tf.function` object.

    Attributes:
        reference: to the object.
        number: its number in this process.
        generation: of the settings, at its last call.
        graphs: that were traced for it.
        fresh: whether the last one was traced just now.
        calls: how often it was called with success.
        taped: whether a tape was asked for gradients while it was traced.
        kept: what `KeptRecorder` compares after its calls.
    """

    reference: weakref.ref[Any]
    number: int
    generation: int
    graphs: list[str] = field(default_factory=list)
    fresh: bool = False
    calls: int = 0
    taped: bool = False
    kept: Any = None


class OfThread(threading.local):
    """The watched calls under way on a thread, and what else is known of it."""

    def __init__(self) -> None:
        self.running: list[tuple[Any, float]] = []
        self.keras: list[dict[str, Any]] = []
        self.unfinished: Any = None
        self.last: Any = None


class Owners:
    """All of a process. An object that is gone keeps its counts, so that they can be written at the end."""

    def __init__(self) -> None:
        # By the number of the object: of each call one is asked for, and a weak dictionary takes several times as long.
        self._alive: dict[int, Owner] = {}
        self._numbers = itertools.count(1)
        self._all: list[Owner] = []

    def of(self, function: Any, generation: int) -> Owner:
        """What is known of a `tf.function` object."""
        found = self._alive.get(id(function))
        return found if found is not None and found.reference() is function else self._new(function, generation)

    def _new(self, function: Any, generation: int) -> Owner:
        alive, key = self._alive, id(function)

        def gone(reference: Any) -> None:
            found = alive.get(key)
            if found is not None and found.reference is reference:
                del alive[key]
                found.kept = None

        found = alive[key] = Owner(weakref.ref(function, gone), next(self._numbers), generation)
        if len(self._all) < _MOST:
            self._all.append(found)
        return found

    def calls(self) -> dict[str, int]:
        """{number: calls} of those that were traced."""
        return {str(owner.number): owner.calls for owner in self._all if owner.graphs}
