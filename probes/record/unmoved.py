"""Variables that a program trains, and that no step changes.

A tape is asked for their gradients again and again, and their values stay what they were before the first step: the
gradient is 0, the rate is 0, or nobody applies it. The values are compared as digests, at the 2nd step, the 4th, the
8th and so on, and at the end of each `fit`, until they have moved: of a program that trains, that is once.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .. import compat, compat_gradients, compat_graph
from .digests import Digests, name_of
from .graph_trail import frames_here

MAX_LISTS = 40
MAX_VARIABLES = 60
"""Of one list."""
MAX_BYTES = 8 << 20
MAX_LOOKS = 12
LEAST = 3
"""So many steps without a change are worth an event."""


class Unmoved:
    """Looks at the lists of variables that tapes are asked about."""

    def __init__(self, running: Callable[[], Any]) -> None:
        self._running = running
        """The outermost function that is being called; it then gives us the calls of that function."""
        self.steps = 0
        """Gradients that were taken."""
        self.stepped: Callable[[], None] | None = None
        """Called after each gradient that is taken outside of a graph."""
        self._lists: dict[tuple[int, int], _List] = {}
        self._gone: list[_List] = []
        self._digests = Digests(MAX_BYTES)

    def taken(self, sources: Sequence[Any], gradients: Sequence[Any]) -> None:
        """A tape gave the gradients of these, before anything is done with them."""
        self.steps += 1
        if self.stepped is not None and compat.default_graph() is None:
            self.stepped()
        key = (id(sources[0]), len(sources))
        known = self._lists.get(key)
        if known is None or known.first() is not sources[0]:
            self._begin(key, sources, gradients)
        elif not known.traced:
            known.step(self._digests)

    def _begin(self, key: tuple[int, int], sources: Sequence[Any], gradients: Sequence[Any]) -> None:
        if key in self._lists:
            self._gone.append(self._lists.pop(key))
        if compat_gradients.handle_of(sources[0]) is None:
            return
        if len(self._lists) + len(self._gone) >= MAX_LISTS:
            self._gone = [known for known in self._gone if known.open]
            self._lists = {k: known for k, known in self._lists.items() if known.open}
            if len(self._lists) + len(self._gone) >= MAX_LISTS:
                return
        given = [v for v, g in zip(sources, gradients, strict=False) if g is not None]
        function = self._running() if compat.default_graph() is not None else None
        self._lists[key] = _List(sources[0], given[:MAX_VARIABLES], function, self._digests)

    def called(self, function: Any) -> None:
        """A function has run, and with it the steps that were traced in it."""
        for known in self._lists.values():
            if known.function is not None and known.function() is function:
                known.step(self._digests)

    def fitted(self) -> None:
        """A `fit` has ended: its model may be gone before the process ends."""
        for known in self._lists.values():
            known.look(self._digests)

    def applied(self, optimizer: Any, variables: Sequence[Any]) -> None:
        """An optimizer is given variables, with gradients."""
        known = self._lists.get((id(variables[0]), len(variables)))
        if known is not None and known.optimizer is None:
            known.optimizer = weakref.ref(optimizer)
            known.kind = type(optimizer).__name__
            known.before = int(number_in(getattr(optimizer, "iterations", None)) or 0)

    def still(self, name: str) -> bool:
        """Whether a variable of this name was asked about for some steps, and has not changed."""
        lists = (*self._gone, *self._lists.values())
        return any(e.same and e.steps >= LEAST for known in lists for e in known.entries if e.name == name)

    def told(self) -> Iterator[dict[str, Any]]:
        """What is to be said at the end, of each list."""
        digests = Digests(MAX_BYTES)
        for known in (*self._gone, *self._lists.values()):
            known.look(digests)
            still = [e for e in known.entries if e.same and e.steps >= LEAST]
            if still:
                yield {
                    "variables": [e.name for e in still],
                    "count": len(still),
                    "given": len(known.entries),
                    "steps": max(e.steps for e in still),
                    "optimizer": known.kind,
                    "rate": known.rate,
                    "where": known.where,
                }


class _Entry:
    """A variable, the digest of its value before the first step, and after how many it was still the same."""

    __slots__ = ("digest", "name", "reference", "same", "since", "steps")

    def __init__(self, variable: Any, digest: str | None) -> None:
        self.reference, self.name, self.digest = weakref.ref(variable), name_of(variable), digest
        self.same, self.steps, self.since = True, 0, 0


class _List:
    """The variables of one list."""

    def __init__(self, first: Any, variables: Sequence[Any], function: Any, digests: Digests) -> None:
        self.first = weakref.ref(first)
        self.function = None if function is None else weakref.ref(function)
        self.traced = compat.default_graph() is not None
        self.entries = [
            _Entry(v, digests.of(v))
            for v in variables
            if compat_gradients.handle_of(v) is not None and getattr(v, "trainable", True)
        ]
        self.optimizer: Any = None
        self.kind: str | None = None
        self.rate: float | None = None
        self.count, self.before, self._next, self._looks = 0, 0, 2, 0
        frames = frames_here(6)
        self.where = frames[0] if frames else None

    @property
    def open(self) -> bool:
        """Whether one of them has not moved yet."""
        return any(e.same for e in self.entries)

    def step(self, digests: Digests) -> None:
        """One more step begins (of a traced one: has ended)."""
        self.count += 1
        if self.count >= self._next:
            self._next *= 2
            self.look(digests)

    def look(self, digests: Digests) -> None:
        """Which of them are still what they were?"""
        still = [e for e in self.entries if e.same] if self._looks < MAX_LOOKS else []
        if not still:
            return
        self._looks += 1
        steps = self._done()
        for entry in still:
            variable = entry.reference()
            now = digests.of(variable) if variable is not None else None
            if now is not None and entry.digest is None:  # a variable that the trace made
                entry.digest, entry.since = now, steps
            elif now is not None:
                entry.same, entry.steps = now == entry.digest, steps - entry.since

    def _done(self) -> int:
        """How many steps there were; those within a graph are counted by the optimizer, if there is one."""
        optimizer = self.optimizer() if self.optimizer is not None else None
        rate = number_in(getattr(optimizer, "_learning_rate", None))
        self.rate = self.rate if rate is None else rate
        made = number_in(getattr(optimizer, "iterations", None)) if self.traced else None
        return self.count if made is None else int(made) - self.before


def number_in(variable: Any) -> float | None:
    """The number that a variable of Keras holds."""
    inner = getattr(variable, "value", None)
    if inner is None or callable(inner) or not compat_graph.is_local_variable(inner):
        return None
    with sys.modules["tensorflow"].init_scope():
        return float(inner.numpy())
