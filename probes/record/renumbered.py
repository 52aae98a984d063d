"""Classes that have other numbers in a test than in the training: rows lie where those of another class lay.

Of the training nothing is kept but the mean of each class. The nearest of these means says which class a row looks
like; where that is another class than its label for nearly all rows, and one for each, the numbers are exchanged.
"""

from __future__ import annotations

import sys
from typing import Any

from .labels import classes_of

MAX_CLASSES = 50
MAX_COLUMNS = 4096
_SEVERAL = 3
_ROWS_OF_ONE = 4
_GOOD = 0.7
_BETTER = 0.4


class Means:
    """The mean row of each class, in units of the deviation of each column."""

    def __init__(self, numbers: Any, means: Any, scale: Any) -> None:
        self.numbers, self.means, self.scale = numbers, means, scale

    def nearest(self, rows: Any) -> Any:
        """Of each row, which of the classes it looks like, by its place."""
        x = rows.reshape(len(rows), -1) / self.scale
        return ((self.means * self.means).sum(1)[None] - 2 * x @ self.means.T).argmin(1)


def means_of(rows: Any, labels: Any) -> Means | None:
    """Those of a training whose classes can be told apart by them; None of any other."""
    numpy = sys.modules["numpy"]
    known = _classes(numpy, rows, labels)
    if known is None:
        return None
    numbers, at, counts = numpy.unique(known, return_inverse=True, return_counts=True)
    if not _SEVERAL <= len(numbers) <= MAX_CLASSES or counts.min() < _ROWS_OF_ONE:
        return None
    flat = rows.reshape(len(rows), -1).astype("float64")
    scale = flat.std(0)
    scale[scale == 0] = 1.0
    sums = numpy.zeros((len(numbers), flat.shape[1]))
    numpy.add.at(sums, at, flat / scale)
    found = Means(numbers, sums / counts[:, None], scale)
    return found if float((found.nearest(flat) == at).mean()) >= _GOOD else None


def renumbered(means: Means, rows: Any, labels: Any) -> dict[str, Any] | None:
    """Facts of a test in which other classes have these numbers: the shares of rows that look like their class, and
    that do once the classes are exchanged.
    """
    numpy = sys.modules["numpy"]
    known = _classes(numpy, rows, labels)
    if known is None or rows[0].size != len(means.scale) or not bool(numpy.isin(known, means.numbers).all()):
        return None
    at, many = numpy.searchsorted(means.numbers, known), len(means.numbers)
    seen = means.nearest(rows.astype("float64"))
    table = numpy.zeros((many, many), dtype=int)
    numpy.add.at(table, (at, seen), 1)
    counts = table.sum(1)
    present = numpy.flatnonzero(counts)
    if len(present) < _SEVERAL or counts[present].min() < _ROWS_OF_ONE:
        return None
    best = table[present].argmax(1)
    here, there = float(table.trace()) / len(known), float(table[present].max(1).sum()) / len(known)
    if len(set(best.tolist())) < len(best) or there < _GOOD or there < here + _BETTER:
        return None
    return {"rows": [int((best != present).sum()), len(present)], "numbers": [here, there]}


def _classes(numpy: Any, rows: Any, labels: Any) -> Any:
    if rows.dtype.kind != "f" or rows.ndim < 2 or rows[:1].size > MAX_COLUMNS or not bool(numpy.isfinite(rows).all()):
        return None
    return classes_of(labels, MAX_CLASSES)
