"""Optimizers that are made anew for each step: what they keep of earlier steps is lost.

Only steps that run eagerly are counted: a traced one keeps its optimizer.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any

from .. import compat
from .frames import user_frames

MAX_LISTS = 50
LEAST = 5
"""So many optimizers for the same variables, each for this many steps at most, are worth an event."""
MOST_STEPS = 2
_MEMORY = ("momentum", "beta_1", "rho", "accumulators", "_accumulators", "_velocities", "_momentums", "momentums")


class Turnover:
    """Counts the optimizers, and their steps, of each list of variables."""

    def __init__(self) -> None:
        self._lists: dict[tuple[int, int], _List] = {}

    def applied(self, optimizer: Any, variables: Sequence[Any]) -> None:
        """An optimizer is about to change variables."""
        if not variables or compat.default_graph() is not None:
            return
        key = (id(variables[0]), len(variables))
        known = self._lists.get(key)
        if known is None:
            if len(self._lists) < MAX_LISTS:
                self._lists[key] = _List(optimizer)
        else:
            known.step(optimizer)

    def told(self) -> Iterator[dict[str, Any]]:
        """What is to be said at the end, of each list."""
        for known in self._lists.values():
            if known.optimizers >= LEAST and known.memory and known.steps <= MOST_STEPS * known.optimizers:
                yield {
                    "optimizer": known.kind,
                    "optimizers": known.optimizers,
                    "steps": known.steps,
                    "where": known.where,
                }


class _List:
    """The optimizers of one list of variables, one after the other."""

    def __init__(self, optimizer: Any) -> None:
        self.optimizers, self.steps = 1, 1
        self.kind = type(optimizer).__name__
        self.memory = any(getattr(optimizer, name, None) for name in _MEMORY)
        self._known = weakref.WeakSet([optimizer])
        frames = user_frames(skip=6, limit=1)
        self.where = frames[0] if frames else None

    def step(self, optimizer: Any) -> None:
        self.steps += 1
        if optimizer not in self._known:
            self.optimizers += 1
            self._known.add(optimizer)
            if type(optimizer).__name__ != self.kind:
                self.memory = False  # several optimizers that take turns
