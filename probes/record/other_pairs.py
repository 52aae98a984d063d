"""Rows and labels that a training gets in other pairs than two arrays of the program have them, by place.

The rows are found again in an array that a name holds. The labels of these rows, in another array of as many, are the
same labels in another order. Which of both pairs is meant the numbers say: the labels of similar rows are similar.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from .frames import is_user_file
from .held_names import names_of_frame
from .outputs import array_of, keys_of, places_in

MAX_NUMBERS = 500_000
_LEAST = 40
_MOST_ROWS = 300
_MOST_COLUMNS = 256
_MOST_FRAMES = 6
_MOST_ARRAYS = 40
_MOST_PAIRS = 12
_CLASSES = 12
_NEIGHBOURS = 5
_POOR = 0.25
_GOOD = 0.5
_BETTER = 0.4
_SAME = 0.9
_FEW = 8
Named = tuple[str, Any]


@dataclass(frozen=True)
class _Pairs:
    """The labels that rows have in two arrays of the program, of how many rows they are others than those given, and
    whether the rows are in the order of their array.
    """

    names: tuple[str, str]
    labels: Any
    moved: int
    in_order: bool


def other_pairs(rows: Any, labels: Any) -> dict[str, Any] | None:
    """Facts of labels that are those of other rows, with the argument that is in another order."""
    numpy = sys.modules["numpy"]
    if rows.dtype.kind != "f" or rows.ndim < 2 or len(rows) < _LEAST or rows.size > MAX_NUMBERS:
        return None
    known = [(n, a) for n, a in arrays_around(rows) if len(a) >= len(rows)][:_MOST_ARRAYS]
    keys, wanted = keys_of(rows), _flat(numpy, labels)
    found: list[_Pairs] = []
    for name, array in known:
        at = places_in(numpy, keys_of(array), keys) if array.shape[1:] == rows.shape[1:] else None
        if at is None:
            continue
        for other, beside in known:
            if beside is array or len(beside) != len(array) or len(found) >= _MOST_PAIRS:
                continue
            theirs = _flat(numpy, beside[at])
            moved = int((theirs != wanted).any(1).sum()) if theirs.shape == wanted.shape else 0
            if moved > _POOR * len(rows) and _same_labels(numpy, theirs, wanted, _flat(numpy, beside)):
                found.append(_Pairs((name, other), theirs, moved, bool((at[1:] > at[:-1]).all())))
    return _judged(numpy, rows, wanted, found) if found else None


def _judged(numpy: Any, rows: Any, labels: Any, found: list[_Pairs]) -> dict[str, Any] | None:
    """Facts of the pairs in which the labels follow best from the rows, where they do not in these."""
    some = numpy.unique(numpy.linspace(0, len(rows) - 1, _MOST_ROWS).astype(int))
    flat = rows.reshape(len(rows), -1)
    x = flat[some][:, :: 1 + flat.shape[1] // _MOST_COLUMNS].astype("float64")
    here = follows(numpy, x, labels[some])
    if here >= _POOR:
        return None
    there, best = max(((follows(numpy, x, pairs.labels[some]), pairs) for pairs in found), key=lambda one: one[0])
    if there < max(_GOOD, here + _BETTER):
        return None
    known = {"rows": [best.moved, len(rows)], "names": list(best.names), "numbers": [here, there]}
    return {**known, "argument": "y" if best.in_order else "x"}


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


def arrays_around(rows: Any) -> Iterator[Named]:
    """The arrays that the program's functions hold on the way to here, also as attributes, and those of its modules; of
    a table of pandas its columns, and those that have the numbers of the columns of some rows.
    """
    seen: set[int] = set()
    frame: FrameType | None = sys._getframe(1)
    left = _MOST_FRAMES
    while frame is not None and left:
        if is_user_file(frame.f_code.co_filename):
            left -= 1
            yield from _arrays(names_of_frame(frame), rows, seen)
            yield from _arrays(frame.f_globals, rows, seen)
        frame = frame.f_back
    main = sys.modules.get("__main__")
    if main is not None:
        yield from _arrays(vars(main), rows, seen)


def _arrays(held: Mapping[str, Any], rows: Any, seen: set[int]) -> Iterator[Named]:
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
        if type(value).__name__ == "DataFrame" and len(value) >= len(rows):
            parts = dict(_columns_of(name, value, rows))
        for part, held_by in parts.items():
            array = _plain(held_by)
            if array is not None and array.ndim and len(array) >= _LEAST and array.size <= MAX_NUMBERS:
                yield part, array


def _columns_of(name: str, table: Any, rows: Any) -> Iterator[Named]:
    """The columns of a table: those that have the numbers of rows together, as these have them, and each alone."""
    numpy = sys.modules["numpy"]
    columns = {}
    for column in table.columns[:_MOST_ARRAYS]:
        numbers = table[column]
        if getattr(numbers, "ndim", 0) == 1 and getattr(numbers.dtype, "kind", "") in ("f", "i", "u"):
            columns[str(column)] = numbers.to_numpy().astype("float32")
    if rows.ndim == 2 and rows.shape[1] <= len(columns):
        some = rows[:_FEW].astype("float32")
        found = [next((c for c in columns.values() if numpy.isin(some[:, j], c).all()), None)
                 for j in range(rows.shape[1])]  # fmt: skip
        alike = [c for c in found if c is not None]
        if len(alike) == len(found):
            yield f"{name}[...]", numpy.stack(alike, axis=1)
    yield from ((f"{name}[{column!r}]", numbers) for column, numbers in columns.items())


def _plain(value: Any) -> Any:
    if not hasattr(value, "shape"):
        return None
    if type(value).__module__.partition(".")[0] == "pandas":
        value = value.to_numpy() if type(value).__name__ == "Series" else None
    return array_of(value)


def _same_labels(numpy: Any, one: Any, other: Any, whole: Any) -> bool:
    """Whether two arrays have the same labels in another order: most of them are the same once sorted; or all numbers
    differ, and those of the other one stand in the whole.
    """
    first, second = (numpy.sort(a[:, 0]) for a in (one, other))
    if first[0] != first[-1] and float((first == second).mean()) >= _SAME:
        return True
    unlike = len(numpy.unique(whole[:, 0])) >= _SAME * len(whole)
    return unlike and float(numpy.isin(second, whole[:, 0]).mean()) >= _SAME


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
