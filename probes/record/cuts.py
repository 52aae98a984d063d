"""Datasets that `take` and `skip` cut from one dataset, which is shuffled above the cut in another order at each pass.

Each pass cuts off other elements. What an `evaluate` or a loop of the program goes over after a training was then part
of the training.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from typing import Any

from .datasets import chain, shuffled_anew

MAX_PAIRS = 400
Write = Callable[[Any, list[int], "Mapping[str, Any] | None"], None]
"""`write(shuffle, rows, used)`."""


class Cuts:
    """Calls `write` once, for the first two datasets that are cut so and of which one was gone through twice."""

    def __init__(self, write: Write) -> None:
        self._write = write
        self._passes: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._left = MAX_PAIRS

    def passed(self, dataset: Any, times: int, used: Mapping[str, Any] | None) -> None:
        """The program goes through a dataset so many times; of a single time it may be asked what it measures."""
        if self._left <= 0:
            return
        measures = times == 1
        times += self._passes.get(dataset, 0)
        self._passes[dataset] = times
        if not measures:
            return
        for other, before in list(self._passes.items()):
            if other is dataset or times + before < 3:
                continue
            self._left -= 1
            found = cut_of(other, dataset)
            if found is not None and found[0] is not None:
                self._left = 0
                self._write(found[0], found[1], used)
                return


def cut_of(training: Any, other: Any) -> tuple[Any, list[int]] | None:
    """(the shuffle, elements of both) of two datasets that are cut from one: without a shuffle where the order is the
    same at each pass. None of any others.
    """
    one, two = list(chain(training)), list(chain(other))
    common = next((i for i, d in enumerate(one) if any(d is e for e in two)), None)
    if common is None:
        return None
    at = next(i for i, e in enumerate(two) if e is one[common])
    cuts = [[(_cut(d), int(d._count.numpy())) for d in part if _cut(d)] for part in (one[:common], two[:at])]
    if any(len(c) != 1 for c in cuts):
        return None
    (how, count), (opposite, beside) = cuts[0][0], cuts[1][0]
    if {how, opposite} != {"take", "skip"} or count != beside or count <= 0:
        return None
    shuffle = next(iter(shuffled_anew(one[common:])), None)
    rows = int(one[common].cardinality().numpy())
    parts = [count, rows - count] if how == "take" else [rows - count, count]
    return (shuffle if 0 < count < rows else None), parts


def _cut(dataset: Any) -> str | None:
    name = type(dataset).__name__
    return next((word for word in ("take", "skip") if name == f"_{word.capitalize()}Dataset"), None)
