"""The rows of the datasets that loops of a program go through, where it trains by steps of its own, and not by `fit`.

The first dataset after which gradients were taken is the one that it trains on. A dataset is looked at once, when a
loop over it begins, and only one of arrays: its tensors are there as a whole.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from .given_rows import GivenRows

MAX_DATASETS = 20


class Program:
    """Stands for the model of the program."""

    layers: tuple[Any, ...] = ()


class LoopRows:
    """Asks about the rows of each dataset as a `fit` and an `evaluate` of it would."""

    def __init__(self, given: GivenRows, steps: Callable[[], int]) -> None:
        self._given, self._steps = given, steps
        self._seen: weakref.WeakSet[Any] = weakref.WeakSet()
        self._program: Program | None = None
        self._at = 0
        self._left = MAX_DATASETS

    def passed(self, dataset: Any, used: Mapping[str, Any] | None) -> None:
        """A loop of the program goes through a dataset."""
        if self._left <= 0 or dataset in self._seen or self._given.of_keras:
            return
        self._seen.add(dataset)
        self._left -= 1
        facts = {"model": None, "name": "a loop of the program", "loop": True, "used": used}
        trained = self._program is not None and self._steps() > self._at
        if not trained:
            self._program, self._at = Program(), self._steps()
        self._given.begins("evaluate" if trained else "fit", self._program, {"x": dataset}, facts)
