"""Numbers that say what a program has computed, whatever its source looks like: a table of all pairs of two columns,
and a distance of predictions and labels, row by row, which are close in another order only.
"""

from __future__ import annotations

import sys
from typing import Any

LEAST = 24
"""So many rows are worth a look."""
_LEAST_TABLE = 8
_SOME = 40
_FLAT = 1e-4
"""What rounding in float32 leaves of a table that has few parts."""
_PARTS = 2
_BETTER = 0.4
_GOOD = 0.5
_POOR = 0.3


def of_pairs(table: Any) -> bool:
    """Whether a square holds a function of one column and of another, such as (p[i] - y[j])**2 for all i and j.

    Such a table has no more than two parts, once the means of its rows and columns are taken off. One that is the same
    on both sides of its diagonal is of pairs of one thing, and meant; one that is the same along an axis is no table.
    """
    numpy = sys.modules["numpy"]
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < _LEAST_TABLE:
        return False
    at = numpy.unique(numpy.linspace(0, len(table) - 1, _SOME).astype(int))
    some = table[at][:, at]
    if some.dtype.kind == "b":
        return _by_class(numpy, some)
    if some.dtype.kind not in "fiu":
        return False
    some = some.astype("float64")
    if not bool(numpy.isfinite(some).all()) or numpy.allclose(some, some.T):
        return False
    if any(float(numpy.ptp(some, axis=axis).max()) <= _FLAT * float(abs(some).max()) for axis in (0, 1)):
        return False
    return any(_few_parts(numpy, t) for t in (some, some * some))


def _few_parts(numpy: Any, table: Any) -> bool:
    rest = table - table.mean(0) - table.mean(1)[:, None] + table.mean()
    sizes = numpy.linalg.svd(rest, compute_uv=False)
    return bool(sizes[_PARTS] <= _FLAT * max(sizes[0], float(abs(table).max())))


def _by_class(numpy: Any, table: Any) -> bool:
    """Of comparisons for equality: rows that are equal or have nothing in common, and so the columns. Two rows of a
    comparison of classes with all others may be opposites: there are two classes then, which is the same.
    """
    if bool((table == table.T).all()):
        return False
    rows, columns = numpy.unique(table, axis=0), numpy.unique(table, axis=1).T
    return all(1 < len(part) <= len(table) // 4 and bool((part.sum(0) <= 1).all()) for part in (rows, columns))


def distance_of(result: Any, one: Any, other: Any) -> str | None:
    """Which distance of two columns an array holds, row by row: "difference", "square" or "size"."""
    numpy = sys.modules["numpy"]
    if not len(result) == len(one) == len(other):
        return None
    at = numpy.unique(numpy.linspace(0, len(result) - 1, 12).astype(int))
    for rows in (at, slice(None)):  # few numbers tell nearly all that are something else
        left = one[rows].astype("float64") - other[rows].astype("float64")
        ways = {"difference": left, "square": left * left, "size": abs(left)}
        known = result[rows].astype("float64")
        alike = [name for name, way in ways.items() if _near(numpy, known, way)]
        if not alike:
            return None
    return alike[0]


def _near(numpy: Any, one: Any, other: Any) -> bool:
    scale = float(abs(other).max()) if other.size else 0.0
    return scale > 0 and bool((abs(one - other) <= 1e-3 * scale).all())


def apart(guesses: Any, labels: Any, of_guesses: Any, of_labels: Any) -> tuple[float, float] | None:
    """(correlation as they are, once both are sorted) of predictions and labels that are of these rows of one array;
    None where they are of the same rows, or where the other order is not far better.
    """
    numpy = sys.modules["numpy"]
    if bool((of_guesses == of_labels).all()) or float((of_guesses == of_labels).mean()) > 0.5:
        return None
    one, other = numpy.argsort(of_guesses, kind="stable"), numpy.argsort(of_labels, kind="stable")
    if not bool((of_guesses[one] == of_labels[other]).all()):
        return None
    here, there = _alike(numpy, guesses, labels), _alike(numpy, guesses[one], labels[other])
    least = max(_GOOD, here + _BETTER, 6 / len(labels) ** 0.5)
    return (here, there) if here < _POOR and there >= least else None


def _alike(numpy: Any, one: Any, other: Any) -> float:
    if float(one.std()) == 0 or float(other.std()) == 0:
        return 0.0
    return float(numpy.corrcoef(one.astype("float64"), other.astype("float64"))[0, 1])
