"""Rows and labels that a training gets in other pairs than two arrays of the program have them, by place.

The rows are found again in an array that a name holds. The labels of these rows, in another array of as many, are the
same labels in another order. Which of both pairs is meant the numbers say: the labels of similar rows are similar.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import FrameType
from typing import Any

from .frames import is_user_file
from .held_names import names_of_frame
from .outputs import array_of, keys_of

MAX_NUMBERS = 500_000
_LEAST = 40
_MOST_ROWS = 300
_MOST_COLUMNS = 256
_MOST_FRAMES = 6
_MOST_ARRAYS = 40
_CLASSES = 12
_NEIGHBOURS = 5
_POOR = 0.25
_GOOD = 0.5
_BETTER = 0.4
_SAME = 0.9
Named = tuple[str, Any]


def other_pairs(rows: Any, labels: Any) -> dict[str, Any] | None:
    """Facts of labels that are those of other rows, with the argument that is in another order; None where some arrays
    of the program have the same pairs.
    """
    numpy = sys.modules["numpy"]
    if rows.dtype.kind != "f" or rows.ndim < 2 or not len(rows) >= _LEAST or rows.size > MAX_NUMBERS:
        return None
    known = [(n, a) for n, a in arrays_around() if len(a) >= len(rows)][:_MOST_ARRAYS]
    keys, wanted = keys_of(rows), _flat(numpy, labels)
    found = None
    for name, array in known:
        at = _places(numpy, array, keys) if array.shape[1:] == rows.shape[1:] else None
        if at is None:
            continue
        for other, beside in known:
            theirs = _flat(numpy, beside[at]) if beside is not array and len(beside) == len(array) else None
            if theirs is None or theirs.shape != wanted.shape:
                continue
            alike = (theirs == wanted).all(1)
            if bool(alike.all()):
                return None
            if found is None and float(alike.mean()) < 1 - _POOR and _same_labels(numpy, theirs, wanted):
                in_order = bool((at[1:] > at[:-1]).all())
                found = (name, other, theirs, int((~alike).sum()), in_order)
    return _judged(numpy, rows, wanted, found) if found is not None else None


def _judged(numpy: Any, rows: Any, labels: Any, found: tuple[str, str, Any, int, bool]) -> dict[str, Any] | None:
    """Whether the labels follow from the rows in those pairs, and not in these."""
    name, other, theirs, moved, in_order = found
    some = numpy.unique(numpy.linspace(0, len(rows) - 1, _MOST_ROWS).astype(int))
    flat = rows.reshape(len(rows), -1)
    x = flat[some][:, :: 1 + flat.shape[1] // _MOST_COLUMNS].astype("float64")
    here, there = (follows(numpy, x, y[some]) for y in (labels, theirs))
    if not (here < _POOR and there >= max(_GOOD, here + _BETTER)):
        return None
    known = {"rows": [moved, len(rows)], "names": [name, other], "numbers": [here, there]}
    return {**known, "argument": "y" if in_order else "x"}


def follows(numpy: Any, x: Any, y: Any) -> float:
    """How well labels follow from rows: the correlation with those of the nearest other rows, or with what a straight
    line of one half of them gives for the other half.
    """
    x = (x - x.mean(0)) / (x.std(0) + 1e-9)
    y = _columns(numpy, y)
    if not bool(numpy.isfinite(x).all()) or not bool(numpy.isfinite(y).all()) or not y.size:
        return 0.0
    apart = (x * x).sum(1)[:, None] + (x * x).sum(1)[None] - 2 * x @ x.T
    numpy.fill_diagonal(apart, numpy.inf)
    near = numpy.argpartition(apart, _NEIGHBOURS, axis=1)[:, :_NEIGHBOURS]
    found = [_correlation(numpy, y[near].mean(1), y)]
    if len(x) >= 4 * x.shape[1]:
        one, two = numpy.arange(len(x)) % 2 == 0, numpy.arange(len(x)) % 2 == 1
        wide = numpy.concatenate([x, numpy.ones((len(x), 1))], axis=1)
        line = numpy.linalg.lstsq(wide[one], y[one], rcond=None)[0]
        found.append(_correlation(numpy, wide[two] @ line, y[two]))
    return max(found)


def arrays_around() -> Iterator[Named]:
    """The arrays that the program's functions hold on the way to here, also as attributes, and those of its modules."""
    seen: set[int] = set()
    frame: FrameType | None = sys._getframe(1)
    left = _MOST_FRAMES
    while frame is not None and left:
        if is_user_file(frame.f_code.co_filename):
            left -= 1
            yield from _arrays(names_of_frame(frame), seen)
            yield from _arrays(frame.f_globals, seen)
        frame = frame.f_back
    main = sys.modules.get("__main__")
    if main is not None:
        yield from _arrays(vars(main), seen)


def _arrays(held: Mapping[str, Any], seen: set[int]) -> Iterator[Named]:
    for name, value in list(held.items()):
        if name.startswith("__") or id(value) in seen or isinstance(value, (type, str, int, float)):
            continue
        seen.add(id(value))
        file = getattr(sys.modules.get(type(value).__module__), "__file__", None)
        if isinstance(file, str) and is_user_file(file):
            inner = getattr(value, "__dict__", None)
            parts = {f"{name}.{n}": v for n, v in list(inner.items())} if isinstance(inner, dict) else {}
        else:
            parts = {name: value}
        for part, held_by in parts.items():
            array = _plain(held_by)
            if array is not None and array.ndim and len(array) >= _LEAST and array.size <= MAX_NUMBERS:
                yield part, array


def _plain(value: Any) -> Any:
    if not hasattr(value, "shape"):
        return None
    if type(value).__module__.partition(".")[0] == "pandas":
        value = value.to_numpy() if type(value).__name__ == "Series" else None
    return array_of(value)


def _places(numpy: Any, array: Any, wanted: Any) -> Any:
    """Where each of the rows stands in an array whose rows are all different; None where one does not."""
    known = keys_of(array)
    order = numpy.argsort(known, kind="stable")
    ranked = known[order]
    if bool((ranked[1:] == ranked[:-1]).any()):
        return None
    at = numpy.minimum(numpy.searchsorted(ranked, wanted), len(ranked) - 1)
    return order[at] if bool((ranked[at] == wanted).all()) else None


def _same_labels(numpy: Any, one: Any, other: Any) -> bool:
    """Whether two arrays have the same rows in another order: most of them are the same once sorted."""
    first, second = (numpy.sort(a[:, 0]) for a in (one, other))
    return bool(first[0] != first[-1]) and float((first == second).mean()) >= _SAME


def _flat(numpy: Any, array: Any) -> Any:
    return array.reshape(len(array), -1).astype("float32")


def _columns(numpy: Any, y: Any) -> Any:
    """Labels as columns of numbers: classes as one column for each."""
    if y.shape[1] == 1 and bool((y == numpy.round(y)).all()):
        kinds = numpy.unique(y)
        if 2 < len(kinds) <= _CLASSES:
            y = y == kinds[None]
    return y[:, :_CLASSES].astype("float64")


def _correlation(numpy: Any, one: Any, other: Any) -> float:
    one, other = one - one.mean(0), other - other.mean(0)
    scale = float((one * one).sum() * (other * other).sum()) ** 0.5
    return float((one * other).sum()) / scale if scale > 0 else 0.0
