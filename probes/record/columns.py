"""What the columns of an array say of how it was scaled: by its own mean and deviation, or by its own limits.

A mean of exactly 0 and a deviation of exactly 1 in each column do not happen by chance: the numbers of just these rows
were used. Two arrays that are both so were scaled each by itself; two that are so only together were scaled before they
were cut apart.
"""

from __future__ import annotations

import math
import sys
from typing import Any

MAX_NUMBERS = 2_000_000
"""Of each array: to read more takes too long while the target waits."""
_LEAST = 16
_MOST_ROWS = 200_000
"""Of more rows a mean is near 0 by chance, too."""
_MOST_COLUMNS = 512
_NEAR = 2e-4
_BY_CHANCE = 0.02
_EXACT = 1e-6
_BY_ITSELF = 1e-3
_APART = 50
"""Rows whose numbers are so many times larger have another unit."""
_ALONE = 0.85
"""Of the largest deviation that a number of a row can have."""
_MOSTLY = 0.9
_ABOUT = 0.05
_SEVERAL = 3
_TIMES, _AWAY = math.log(4), 3.0
_OF_THEIR_OWN = 0.5
_UNEVEN = 10
_MOST_QUANTITIES = 40


class Columns:
    """Sums of the columns of arrays; those of several arrays can be added."""

    def __init__(
        self, rows: int, total: Any, squares: Any, least: Any, most: Any, ends: Any, by_row: bool = False
    ) -> None:
        self.rows = rows
        self.total, self.squares = total, squares
        self.least, self.most = least, most
        self.ends = ends
        """The columns in which only few rows are the least or the most."""
        self.by_row = by_row
        """Whether each row was scaled by itself: all together then have a mean of 0 and a deviation of 1, too."""

    def __add__(self, other: Columns) -> Columns:
        numpy = sys.modules["numpy"]
        return Columns(
            self.rows + other.rows, self.total + other.total, self.squares + other.squares,
            numpy.minimum(self.least, other.least), numpy.maximum(self.most, other.most), self.ends & other.ends,
            self.by_row and other.by_row,
        )  # fmt: skip

    @property
    def width(self) -> int:
        """How many columns there are."""
        return len(self.total)

    def standard(self) -> Any:
        """The columns whose mean is 0 and whose deviation is 1, by their own numbers."""
        return _standard(self.total, self.squares, self.rows) & (not self.by_row)

    def standard_as_one(self) -> bool:
        """Whether all numbers together have a mean of 0 and a deviation of 1, by their own numbers."""
        return not self.by_row and bool(_standard(self.total.sum(), self.squares.sum(), self.rows * self.width))

    def bounded(self) -> Any:
        """The columns that go from 0 to 1, which hardly a row reaches."""
        return (abs(self.least) < _EXACT) & (abs(self.most - 1) < _EXACT) & self.ends

    def varied(self) -> Any:
        """The columns that are not one number."""
        return self.most > self.least


def _standard(total: Any, squares: Any, count: int) -> Any:
    """Of sums: of many numbers a mean is near 0 by chance, too."""
    numpy = sys.modules["numpy"]
    near = min(_NEAR, _BY_CHANCE / count**0.5)
    mean = total / count
    variance = numpy.maximum(squares / count - mean**2, 0)
    # pandas divides by one less.
    deviations = [numpy.sqrt(variance * n) for n in (1.0, count / (count - 1))]
    return (abs(mean) < near) & numpy.any([abs(d - 1) < near for d in deviations], axis=0)


def columns_of(array: Any) -> Columns | None:
    """The sums of the columns of an array of numbers; of one of a higher rank, those of its last axis."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray) or array.dtype.kind != "f" or array.ndim < 2:
        return None
    if len(array) < _LEAST or not 0 < array.size <= MAX_NUMBERS or not 0 < array.shape[-1] <= _MOST_COLUMNS:
        return None
    flat = array.reshape(-1, array.shape[-1])
    if len(flat) > _MOST_ROWS:
        return None
    wide = flat.astype("float64")
    least, most = wide.min(0), wide.max(0)
    few = max(2, len(wide) // 100)
    ends = ((wide == least).sum(0) <= few) & ((wide == most).sum(0) <= few)
    found = Columns(len(wide), wide.sum(0), (wide**2).sum(0), least, most, ends)
    if found.standard_as_one():
        channels = numpy.moveaxis(array, -1, 1)
        rows = (array.reshape(len(array), -1), channels.reshape(len(array) * channels.shape[1], -1), wide)
        found.by_row = any(_each_standard(alone) for alone in rows)
    return found if bool(numpy.isfinite(found.squares).all()) else None


def _each_standard(rows: Any) -> bool:
    """Whether each row has a mean of 0 and a deviation of 1."""
    wide = rows.astype("float64")
    return bool((abs(wide.mean(1)) < _BY_ITSELF).all() and (abs(wide.std(1) - 1) < _BY_ITSELF).all())


def scaled_apart(training: Columns, other: Columns) -> bool:
    """Whether the training and the other rows were scaled each by their own numbers."""
    if training.width != other.width:
        return False
    one, two = training.standard(), other.standard()
    if bool(one.any()) and bool(two[one & other.varied()].all()) and bool((one & two).any()):
        return True
    if training.standard_as_one() and other.standard_as_one():
        return True
    one, two = training.bounded(), other.bounded()
    return int(one.sum()) > 1 and bool((two[one]).all())


def other_scale(training: Columns, other: Columns) -> float | None:
    """By how much the numbers of other rows are larger, or smaller, than those of the training, in each column."""
    numpy = sys.modules["numpy"]
    wanted = training.varied() & other.varied()
    if training.width != other.width or not bool(wanted.any()):
        return None
    ratio = ((other.most - other.least)[wanted] / (training.most - training.least)[wanted]).tolist()
    middle = float(numpy.median(ratio))
    alike = [r for r in ratio if 0.3 * middle <= r <= 3 * middle]
    return middle if not 1 / _APART < middle < _APART and len(alike) >= 0.9 * len(ratio) else None


def unlike(training: Columns, other: Columns) -> list[int] | None:
    """[0, columns] where other rows lie elsewhere than those of the training in each of several columns: their mean is
    several deviations away, or their deviation several times as large or small. Not where all columns are moved alike,
    as those of the windows of a series are that rises.
    """
    numpy = sys.modules["numpy"]
    if training.width != other.width or min(training.rows, other.rows) < _LEAST:
        return None
    deviations = [numpy.sqrt(numpy.maximum(c.squares / c.rows - (c.total / c.rows) ** 2, 0)) for c in (training, other)]
    wanted = (deviations[0] > 0) & (deviations[1] > 0)
    if int(wanted.sum()) < _SEVERAL:
        return None
    one, two = (d[wanted] for d in deviations)
    ratio = numpy.log(two / one)
    moved = (other.total / other.rows - training.total / training.rows)[wanted] / numpy.maximum(one, two)
    if bool(((abs(ratio) < _TIMES) & (abs(moved) < _AWAY)).any()) or max(ratio.std(), moved.std()) < _OF_THEIR_OWN:
        return None
    return [0, int(wanted.sum())]


def statistic_of_both(mean: Any, training: Columns, others: Columns) -> bool:
    """Whether a mean for each column is that of training and other rows together, and not that of the training."""
    whole = training + others
    wanted = whole.varied()
    if not hasattr(mean, "shape") or mean.shape != training.total.shape or not bool(wanted.any()):
        return False
    spread = (whole.most - whole.least)[wanted]
    both, alone = (abs(mean - c.total / c.rows)[wanted] / spread for c in (whole, training))
    return bool((both < _NEAR).all() and alone.max() > 10 * max(both.max(), _EXACT))


def scaled_together(training: Columns, others: Columns) -> bool:
    """Whether rows were scaled by the numbers of all, before the training rows were cut from them."""
    if training.width != others.width:
        return False
    whole = training + others
    wanted = whole.varied()
    if 2 * int(whole.standard().sum()) >= int(wanted.sum()) > 0 and not bool(training.standard().any()):
        return bool(whole.standard().any())
    if whole.standard_as_one() and not training.standard_as_one():
        return True
    both = whole.bounded()
    return int(both.sum()) > 1 and bool(both[wanted].all()) and not bool(training.bounded().all())


def scaled_by_row(array: Any) -> bool:
    """Whether each row has a mean of 0 and a deviation of 1, although its few columns are different things: each column
    keeps to numbers of its own, and one is so large that it alone makes nearly the whole deviation. Spectra of one
    quantity are scaled so on purpose, and none of their bands is like that.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray) or array.dtype.kind != "f" or array.ndim not in (2, 3):
        return False
    array = array.reshape(-1, array.shape[-1])
    rows, width = array.shape
    if rows < _LEAST or not 3 <= width <= _MOST_QUANTITIES or array.size > MAX_NUMBERS:
        return False
    wide = array.astype("float64")
    if not _each_standard(wide):
        return False
    between = wide.mean(0).var()  # of a total of 1
    steps = abs(numpy.diff(wide.mean(0))).mean()
    alone = abs(wide).max(1) > _ALONE * math.sqrt(width - 1)  # no number of a row can be more than this root
    return bool(between > 0.5 and steps > 0.5 and alone.mean() > _MOSTLY)


def scaled_beside(array: Any) -> str | None:
    """Over what rows were scaled whose columns stay apart as different quantities do: "row-scale", each row;
    "step-scale", each place of the axis in between; "one-scale", all numbers by one mean and one deviation.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray) or array.dtype.kind != "f" or array.ndim not in (2, 3):
        return None
    if len(array) < _LEAST or not 0 < array.size <= MAX_NUMBERS:
        return None
    if scaled_by_row(array):
        return "row-scale"
    wide = array.astype("float64")
    if not stay_apart(wide):
        return None
    steps = numpy.moveaxis(wide, 1, 0).reshape(wide.shape[1], -1) if wide.ndim == 3 else wide[:0]
    if len(steps) > 1 and _each_standard(steps):
        return "step-scale"
    return "one-scale" if max(abs(wide.mean()), abs(wide.std() - 1)) < _ABOUT else None


def uneven(columns: Columns) -> bool:
    """Whether several columns have a mean of 0, by their own numbers, and deviations of other sizes altogether, in no
    order: of principal components they fall.
    """
    numpy = sys.modules["numpy"]
    deviation = numpy.sqrt(numpy.maximum(columns.squares / columns.rows, 0))
    if columns.by_row or not _SEVERAL < columns.width <= _MOST_QUANTITIES or not bool(columns.varied().all()):
        return False
    centred = abs(columns.total / columns.rows) < _BY_ITSELF * deviation
    apart = float(deviation.max()) > _UNEVEN * float(deviation.min())
    return bool(centred.all() and apart and (numpy.diff(deviation) > 0).any())


def stay_apart(array: Any) -> bool:
    """Whether the few columns of the last axis are quantities so different that nearly all of the variance lies between
    them, from one column to the next: those of a spectrum or an image change little by little, or not at all.
    """
    numpy = sys.modules["numpy"]
    if not 3 <= array.shape[-1] <= _MOST_QUANTITIES:
        return False
    means, total = array.reshape(-1, array.shape[-1]).mean(0), float(array.var())
    if not 0 < total < math.inf:
        return False
    return bool(means.var() > _MOSTLY * total and abs(numpy.diff(means)).mean() > 0.5 * math.sqrt(total))
