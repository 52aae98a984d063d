"""What the order of the rows of an array says: windows of one series, rows that were never written, labels that belong
to the next row, labels that were sorted alone.
"""

from __future__ import annotations

import sys
from typing import Any

from .in_window import in_window

MAX_NUMBERS = 1_000_000
"""Of each array: to read more takes too long while the target waits."""
_LEAST = 24
_WINDOW = 4
"""Windows are of so many steps at the least."""
_SHARED = 0.3
_UNLIKE = 0.95
_MOST_ROWS, _MOST_COLUMNS = 400, 64
_SHIFTS = (1, -1, 2, -2)


class Windows:
    """Of each row of an array one number for its first steps, its last, those at every place, and for all of it."""

    def __init__(self, begins: Any, finishes: Any, inner: Any, rows: Any, shape: tuple[int, ...]) -> None:
        self.begins, self.finishes, self.inner, self.rows, self.shape = begins, finishes, inner, rows, shape


def windows_of(array: Any) -> Windows | None:
    """An array whose rows may be windows of a series."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray) or array.dtype.kind != "f" or array.ndim not in (2, 3):
        return None
    if len(array) < 8 or not 0 < array.size <= MAX_NUMBERS or array.shape[1] < _WINDOW or array.itemsize < 4:
        return None
    words = numpy.ascontiguousarray(array.reshape(len(array), array.shape[1], -1)).view("uint32")
    draw = numpy.random.Generator(numpy.random.PCG64(7))
    steps = _mixed(numpy, words, draw)
    by = draw.integers(1, 1 << 62, 2).astype("uint64") | numpy.uint64(1)
    pairs = steps[:, :-1] * by[0] + steps[:, 1:] * by[1]
    return Windows(pairs[:, 0], pairs[:, -1], pairs.ravel(), _mixed(numpy, pairs, draw), array.shape[1:])


def overlapping(training: Windows, other: Windows) -> list[int] | None:
    """[windows, rows] of the other rows: windows of a series of which the training has both the first and the last
    steps, in windows before and after them. Rows that the training has as they are do not count.
    """
    numpy = sys.modules["numpy"]
    if training.shape != other.shape:
        return None
    new = ~numpy.isin(other.rows, training.rows)
    count = int(new.sum())
    if count < 8 or not _all_unlike(numpy, training.begins, other.begins[new]):
        return None  # the series repeats itself
    both = numpy.isin(other.begins[new], training.inner) & numpy.isin(other.finishes[new], training.inner)
    between = int(both.sum())
    return [between, count] if between >= _SHARED * count else None


def _mixed(numpy: Any, words: Any, draw: Any) -> Any:
    """One number for each row along the last axis."""
    by = draw.integers(1, 1 << 62, words.shape[-1]).astype("uint64") | numpy.uint64(1)
    return (words.astype("uint64") * by).sum(-1, dtype="uint64")


def _all_unlike(numpy: Any, *parts: Any) -> bool:
    joined = numpy.concatenate(parts)
    return bool(len(numpy.unique(joined)) >= _UNLIKE * len(joined))


def foretold(rows: Any, labels: Any) -> list[int] | None:
    """[labels, rows] of a test whose labels stand among the numbers of training rows, as where later rows have earlier
    labels as features and all were dealt out at random.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not all(isinstance(a, numpy.ndarray) and a.dtype.kind == "f" for a in (rows, labels)):
        return None
    if rows.ndim not in (2, 3) or rows.size > MAX_NUMBERS or labels.size != len(labels) or len(labels) < _LEAST:
        return None
    flat = labels.reshape(-1).astype(rows.dtype)
    if len(numpy.unique(flat)) < _UNLIKE * len(flat):
        return None
    known = int(numpy.isin(flat, rows).sum())
    return [known, len(flat)] if known >= _SHARED * len(flat) else None


def unwritten(array: Any) -> int:
    """How many rows at the end are zeros, where no other row is: they were never written."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(array, numpy.ndarray) or array.dtype.kind not in "fc" or array.ndim < 1:
        return 0
    if len(array) < 8 or not 0 < array.size <= MAX_NUMBERS:
        return 0
    flat = array.reshape(len(array), -1)
    written = numpy.flatnonzero((flat != 0).any(1))
    if not len(written) or len(written) != written[-1] + 1 or len(written) == len(flat):
        return 0
    # Of few numbers zeros may be meant: rows that are all different are measurements.
    some = flat[: len(written), 0]
    return int(len(flat) - len(written)) if len(numpy.unique(some)) * 2 > len(some) else 0


def unlike_rows(array: Any) -> bool:
    """Whether successive rows of an array are no more alike than any two: they may stand in any order."""
    numpy = sys.modules["numpy"]
    flat = array.reshape(len(array), -1)
    some = flat[:_MOST_ROWS, :: 1 + flat.shape[1] // _MOST_COLUMNS].astype("float64")
    if len(some) < _LEAST or not bool(numpy.isfinite(some).all()):
        return False
    apart = some - some.mean(0)
    scale = float((apart * apart).sum())
    return scale > 0 and abs(float((apart[1:] * apart[:-1]).sum())) < 0.15 * scale


def odd_pair(rows: Any, labels: Any) -> tuple[str, list[int]] | None:
    """What is odd about rows and their labels, with two numbers that say of it: "in-window", or what `meets` says."""
    inside = in_window(rows, labels)
    if inside is not None:
        return "in-window", inside
    found = meets(rows, labels)
    return (found[0], [found[1], len(rows)]) if found is not None else None


def meets(rows: Any, labels: Any) -> tuple[str, int] | None:
    """("shifted", by) where the labels follow from the rows so many places on, and not from their own; ("reversed", 0)
    where they follow from the rows in reverse; ("ordered", 0) where they rise from the first to the last and the rows
    do not know of it; ("target", column) where a column of the rows is the label itself.
    """
    numpy = sys.modules.get("numpy")
    found = _plain(numpy, rows, labels)
    if numpy is None or found is None:
        return None
    x, y = found
    here = _explained(numpy, x, y)
    if x.shape[1] > 1 and here > 1 - 1e-6:
        alike = [_explained(numpy, x[:, i : i + 1], y) > 1 - 1e-9 for i in range(x.shape[1])]
        return ("target", alike.index(True)) if sum(alike) == 1 else None
    if here > 0.2 or len(x) < 20 * x.shape[1] or _slides(x):
        return None
    for by in (*_SHIFTS, *([] if _serial(x) else _elsewhere(numpy, x, y))):
        one, two = (x[by:], y[:-by]) if by > 0 else (x[:by], y[-by:])
        known = _explained(numpy, one, two)
        if known > here + 0.5 and not (by > 0 and _forecast(numpy, one, two, known)):
            return "shifted", by
    if _explained(numpy, x[::-1], y) > here + 0.5:
        return "reversed", 0
    steps = numpy.diff(y)
    rising = bool((steps > 0).all() or (steps < 0).all())
    if rising and float(steps.std()) > 1e-3 * abs(float(steps.mean())) and not _serial(x) and here < 0.05:
        return "ordered", 0
    return None


def _forecast(numpy: Any, x: Any, y: Any, known: float) -> bool:
    """Whether one column of later rows tells alone what all of them tell: a model that is to say what this column will
    be has such labels, and they are right.
    """
    return any(_explained(numpy, x[:, i : i + 1], y) > 0.9 * known for i in range(x.shape[1]))


def _elsewhere(numpy: Any, x: Any, y: Any) -> list[int]:
    """The one shift, as far as half of the rows, at which a column is most like the labels."""
    count = len(y)
    size = 2 * count
    z = numpy.fft.rfft((y - y.mean()) / y.std(), size)
    columns = numpy.fft.rfft(((x - x.mean(0)) / x.std(0)).T, size, axis=1)
    alike = abs(numpy.fft.irfft(columns * z.conj(), size, axis=1)).max(0) / count
    best = int(alike.argmax())
    by = best if best < count else best - size
    return [by] if 2 < abs(by) <= count // 2 and alike[best] > 6 / count**0.5 else []


def _plain(numpy: Any, rows: Any, labels: Any) -> tuple[Any, Any] | None:
    """Rows (N, F) and labels (N,) that are numbers, and vary."""
    if numpy is None or not all(isinstance(a, numpy.ndarray) and a.dtype.kind in "fiu" for a in (rows, labels)):
        return None
    if rows.ndim != 2 or len(rows) < _LEAST or labels.size != len(rows) or not 0 < rows.shape[1] <= 64:
        return None
    if rows.size > MAX_NUMBERS:
        return None
    x, y = rows.astype("float64"), labels.reshape(-1).astype("float64")
    x = x[:, x.std(0) > 0]
    if not bool(numpy.isfinite(x).all() and numpy.isfinite(y).all()) or not x.shape[1] or float(y.std()) == 0:
        return None
    return x, y


def _explained(numpy: Any, x: Any, y: Any) -> float:
    """Which part of the variance of the labels follows from the columns of the rows in a straight line."""
    design = numpy.column_stack([x - x.mean(0), numpy.ones(len(x))])
    scale = numpy.abs(design).max(0)
    scale[scale == 0] = 1
    fit = numpy.linalg.lstsq(design / scale, y, rcond=None)[0]
    rest = y - (design / scale) @ fit
    return float(1 - rest.var() / y.var()) if float(y.var()) > 0 else 0.0


def _slides(x: Any) -> bool:
    """Whether each row is the last one moved on by a column: windows."""
    return x.shape[1] > 2 and float((x[1:, :-1] == x[:-1, 1:]).mean()) > 0.5


def _serial(x: Any) -> bool:
    """Whether a row says something of the next one."""
    z = (x - x.mean(0)) / x.std(0)
    along = abs((z[1:] * z[:-1]).mean(0))
    return bool((along > 4 / len(x) ** 0.5).any())
