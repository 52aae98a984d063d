"""Windows of a series whose target stands in the window itself: one of its numbers, or that one scaled and shifted.

`timeseries_dataset_from_array` pairs the window that begins at step i with target i, so the targets of a forecast must
be moved by the length of a window. What is given to a model as windows is looked at in the same way.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from .. import compat_data, schema
from .clocks import of_thread
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_SECONDS = 0.1
_FIRST = 64
_MOST_ROWS = 4000
_MOST = 4_000_000
"""Numbers in the first windows."""
_EXACT = 1e-9


class WindowRecorder:
    """Writes `split` events of the kind `in-window`."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._seconds = 0.0
        module, name = compat_data.KERAS_WINDOWS
        finder.when_imported(module, lambda m: self._hook(m, name))

    def _hook(self, module: ModuleType, name: str) -> None:
        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            started = of_thread()
            if self._seconds <= MAX_SECONDS:
                self.guard.run("windows", self._made, args, kwargs)
            self._seconds += of_thread() - started

        self.guard.hooks.put(module, name, followed(getattr(module, name), made))

    def _made(self, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        names = ("data", "targets", "sequence_length", "sequence_stride", "sampling_rate")
        given: dict[str, Any] = {**dict(zip(names, args, strict=False)), **kwargs}
        numpy = sys.modules["numpy"]
        data: Any = given.get("data")
        targets: Any = given.get("targets")
        if not all(isinstance(a, numpy.ndarray) for a in (data, targets)):
            return
        length, rate, start = (int(given.get(n) or d) for n, d in (("sequence_length", 0), ("sampling_rate", 1),
                                                                   ("start_index", 0)))  # fmt: skip
        many = min(len(data) - start - (length - 1) * rate, len(targets) - start, _MOST_ROWS)
        if many < _FIRST or data.ndim > 2 or length < 1:
            return
        series = data.reshape(len(data), -1)[start:]
        at = numpy.arange(_FIRST)[:, None] + rate * numpy.arange(length)
        labels = targets[start : start + many]
        found = places(series[at], labels) if _FIRST * length * series.shape[1] <= _MOST else []
        places_of = [(s, c) for s, c in found if _follows(series[rate * s : rate * s + many, c], labels)]
        frames = user_frames(skip=4, limit=1)
        if places_of and frames:
            step = places_of[0][0]
            self.guard.sink.write(
                schema.SPLIT, what="in-window", where=frames[0], used=frames[0], rows=[step, length], name="data"
            )


def in_window(rows: Any, labels: Any) -> list[int] | None:
    """[step, steps of a window] where each label is a number of its own window (rows, steps, columns) or (rows, steps),
    and each window is the last one moved on by a step: to recall a number may be the task of sequences that are no
    windows. Of several labels of a row it is the first one, where the last one is no number of the window: to give a
    window back may be the task of a model.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not all(isinstance(a, numpy.ndarray) for a in (rows, labels)):
        return None
    if rows.ndim == 2:
        rows = rows[:, :, None]
    if rows.ndim != 3 or len(rows) < _FIRST or rows.shape[1] < 2 or rows[:_FIRST].size > _MOST:
        return None
    if len(labels) < labels.size <= _MOST:
        several = labels.reshape(len(labels), -1)
        return in_window(rows, several[:, 0]) if in_window(rows, several[:, -1]) is None else None
    first, later, earlier = slice(_FIRST - 1), slice(1, None), slice(None, -1)
    moved = [rows[1:_FIRST, a] == rows[first, b] for a, b in ((earlier, later), (later, earlier))]
    if max(float(m.mean()) for m in moved) < 0.5:
        return None
    many = min(len(rows), _MOST_ROWS)
    found = places(rows[:_FIRST], labels[:many])
    true = [s for s, c in found if _follows(rows[:many, s, c], labels[:many])]
    return [true[0], rows.shape[1]] if true else None


def places(windows: Any, labels: Any) -> list[tuple[int, int]]:
    """The (step, column) of windows at which the labels may stand, scaled and shifted; none for labels of few kinds."""
    numpy = sys.modules["numpy"]
    if any(a.dtype.kind not in "fiu" for a in (windows, labels)) or labels.size != len(labels):
        return []
    y = labels[: len(windows)].reshape(-1).astype("float64")
    x = windows.astype("float64")
    if len(numpy.unique(y)) * 2 < len(y) or not bool(numpy.isfinite(x).all() and numpy.isfinite(y).all()):
        return []
    x, y = x - x.mean(0), y - y.mean()
    along = numpy.tensordot(y, x, (0, 0)) / (y @ y)
    rest, whole = ((x - along * y[:, None, None]) ** 2).sum(0), (x**2).sum(0)
    steps, columns = numpy.nonzero((whole > 0) & (rest <= _EXACT * whole))
    return list(zip(steps.tolist(), columns.tolist(), strict=True))


def _follows(column: Any, labels: Any) -> bool:
    return bool(places(column[:, None, None], labels))
