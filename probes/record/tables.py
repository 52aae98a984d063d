"""What NumPy takes means of: a table of as many rows as columns as there are predictions, and whole numbers below 0.

(N, 1) predictions minus (N,) labels make such a table, and its mean is a fine number; a square of whole numbers that is
negative is one that its type could not hold. NumPy's means begin with one function of NumPy's own module; it is looked
at there from the import on, and again from the first `predict` on, for so many calls or so much time of our own, and
then NumPy has its own again. No array is kept.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from types import FrameType
from typing import Any

from .. import schema
from .frames import HIDDEN, followed, frame_dict, is_user_file, user_frames
from .guard import Guard
from .importhook import PostImportFinder

_clock = time.perf_counter

MAX_CALLS = 20_000
MAX_SECONDS = 0.05
MAX_EVENTS = 20
MAX_NUMBERS = 4_000_000
"""Of an array whose least one is looked at."""
_NARROW = ("int8", "int16", "int32")
_MODULES = ("numpy._core._methods", "numpy.core._methods")
_BETWEEN = (f"{os.sep}numpy{os.sep}", f"{os.sep}record{os.sep}", "<__array_function__")
"""In the names of the files between a mean and who takes it: NumPy's and ours."""
_TAKES = "asanyarray"
"""By this name the functions of NumPy's module take their array (1.24-2.4)."""


class TableRecorder:
    """Writes `table` and `below-zero` events: what a mean was taken of, and where."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._rows: set[int] = set()
        self._predicted = False
        self._left = MAX_CALLS
        self._seconds = 0.0
        self._seen: set[tuple[Any, ...]] = set()
        self._mine: Any = None
        finder.when_imported("numpy", lambda module: self._hook())

    def predicted(self, rows: Sequence[int | None]) -> None:
        """A `predict` has given arrays of so many rows."""
        self._rows.update(n for n in rows if n is not None and n > 1)
        if self._rows and not self._predicted:
            self._predicted = True
            self._left, self._seconds = MAX_CALLS, 0.0
            if self._mine is None:
                self._hook()

    def _hook(self) -> None:
        module, name = _means(), _TAKES
        original = getattr(module, name)
        array: Any = sys.modules["numpy"].ndarray
        rows = self._rows

        def taken(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._left -= 1
            value: Any = args[0] if args else None
            if type(value) is array and value.ndim == 2 and value.shape[0] == value.shape[1] and value.shape[0] in rows:
                self.guard.run("table", self._note, value.shape, str(value.dtype))
            elif type(value) is array and value.dtype.kind == "i" and 0 < value.size <= MAX_NUMBERS:
                self.guard.run("whole numbers", self._look, value)
            if self._left <= 0 and module.__dict__.get(name) is self._mine:
                setattr(module, name, original)
                self._mine = None

        self._mine = followed(original, taken)
        self.guard.hooks.put(module, name, self._mine)

    def _note(self, shape: tuple[int, ...], dtype: str) -> None:
        started = _clock()
        frames = user_frames(skip=4, limit=8)
        where = frames[0] if frames else None
        key = ((where or {}).get("file"), (where or {}).get("line"))
        if where is not None and key not in self._seen:
            self._seen.add(key)
            self.guard.sink.write(schema.TABLE, shape=list(shape), dtype=dtype, where=where, frames=frames)
        self._seconds += _clock() - started
        if self._seconds > MAX_SECONDS or len(self._seen) >= MAX_EVENTS:
            self._left = 0

    def _look(self, value: Any) -> None:
        """Note where a mean is taken of whole numbers of a narrow type of which one is below 0."""
        started = _clock()
        where = _taker() if value.dtype.name in _NARROW else None
        key = ("below zero", where["file"], where["line"]) if where is not None else None
        if key is not None and key not in self._seen:
            least = int(value.min())
            if least < 0:
                self._seen.add(key)
                shape = list(value.shape)
                self.guard.sink.write(schema.BELOW_ZERO, shape=shape, dtype=value.dtype.name, least=least, where=where)
        self._seconds += _clock() - started
        if self._seconds > MAX_SECONDS or len(self._seen) >= MAX_EVENTS:
            self._left = 0


def _taker() -> dict[str, Any] | None:
    """The line of the program that asked NumPy for a mean; None where a library did."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if is_user_file(file):
            return frame_dict(frame)
        if file != HIDDEN and not any(part in file for part in _BETWEEN):
            return None
        frame = frame.f_back
    return None


def _means() -> Any:
    """The module in which NumPy's means are written; NumPy has been imported by then."""
    return next(sys.modules[name] for name in _MODULES if name in sys.modules)
