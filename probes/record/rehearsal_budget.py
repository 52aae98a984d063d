"""How long a rehearsal may train, and what it does when that time is over."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_SECONDS = {"call": 20.0, "total": 60.0, "read": 15.0, "epochs": 10.0}
_BESIDE_ANOTHER = {"call": 5.0, "total": 15.0}
"""For a rehearsal that takes XLA where the same program is rehearsed without it, too, with the seconds above: it
compiles each shape, and the other one looks at the values.
"""


@dataclass
class Budget:
    """Seconds for a rehearsal, or a number of batches.

    With `batches` each epoch ends after so many, and each `fit` after one epoch. Without it everything is run for
    `call` seconds of each call and `total` seconds in all. Then the rest of the first epoch is only read, for `read`
    seconds, and batches that show something new are run; later epochs run one batch each, for `epochs` seconds.
    """

    batches: int | None = None
    call: float = _SECONDS["call"]
    total: float = _SECONDS["total"]
    read: float = _SECONDS["read"]
    epochs: float = _SECONDS["epochs"]
    used: float = field(default=0.0, compare=False)

    @classmethod
    def of(cls, wanted: Mapping[str, Any]) -> Budget | None:
        """What a rehearsal was asked to keep to; None where it runs everything."""
        told = wanted.get("budget")
        if told is not None:
            seconds = {k: float(told.get(k, default)) for k, default in _SECONDS.items()}
            return cls(None, **seconds)
        batches = wanted.get("batches")
        return None if batches is None else cls(batches=int(batches))

    def shorten(self) -> None:
        """Another rehearsal runs the same program with more time."""
        self.call = min(self.call, _BESIDE_ANOTHER["call"])
        self.total = min(self.total, _BESIDE_ANOTHER["total"])

    def clock(self) -> Clock:
        """For one call."""
        return Clock(self)


def _spent(since: tuple[float, float] | None) -> float:
    """Seconds since then: of this machine's clock, but on a busy machine those that this process was given, three times
    as long at most.
    """
    if since is None:
        return 0.0
    wall, processor = time.monotonic() - since[0], time.process_time() - since[1]
    return max(min(wall, processor), wall / 3)


def _now() -> tuple[float, float]:
    return time.monotonic(), time.process_time()


class Clock:
    """The time that one call has used; it begins with its second batch, since the first one is traced and compiled."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._last: tuple[float, float] | None = None
        self._steps = 0
        self._used = 0.0
        self._over_since: tuple[float, float] | None = None

    def stepped(self) -> None:
        """A batch was run."""
        if self._steps > 0:
            seconds = _spent(self._last)
            self._used += seconds
            self._budget.used += seconds
        self._steps += 1

    def begins(self) -> None:
        """A batch is about to be run or read."""
        self._last = _now()

    @property
    def over(self) -> bool:
        """Whether the time to run everything is used up. Once it is, it stays so."""
        if self._over_since is None:
            budget = self._budget
            if self._steps and (self._used >= budget.call or budget.used >= budget.total):
                self._over_since = _now()
        return self._over_since is not None

    def more(self, seconds: float) -> bool:
        """Whether the time after that is not used up either."""
        return self._over_since is None or _spent(self._over_since) < seconds
