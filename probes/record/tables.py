"""What NumPy takes means and sums of: a table of as many rows as columns as there are predictions, and whole numbers
below 0.

(N, 1) predictions minus (N,) labels make such a table, and its mean is a fine number; a square of whole numbers that is
negative is one that its type could not hold. NumPy's means begin with one function of NumPy's own module; it is looked
at there from the import on, and again from the first `predict` or call of a model on, with the sums, for so many calls
or so much time of our own, and then NumPy has its own again. No array is kept.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from .. import schema
from .agreement import of_pairs
from .frames import HIDDEN, followed, frame_dict, is_user_file, user_frames
from .guard import Guard
from .importhook import PostImportFinder
from .outputs import Outputs

_clock = time.perf_counter

MAX_CALLS = 20_000
MAX_SECONDS = 0.05
MAX_EVENTS = 20
MAX_NUMBERS = 4_000_000
"""Of an array whose least one is looked at."""
_NARROW = ("int8", "int16", "int32")
_MODULES = ("numpy._core._methods", "numpy.core._methods")
_SUMS = ("numpy._core.fromnumeric", "numpy.core.fromnumeric")
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
        self.covers: Callable[[int], bool] = lambda rows: False
        """Whether some calls of models had so many rows together."""
        self.reduced: Callable[[Any, FrameType], None] | None = None
        """Called with each array of a mean or a sum, and the program's line that takes it."""
        self._left = MAX_CALLS
        self._seconds = 0.0
        self.outputs: Outputs | None = None
        self._seen: set[tuple[Any, ...]] = set()
        self._mine: Any = None
        self._sums: list[tuple[Any, str, Any, Any]] = []
        finder.when_imported("numpy", lambda module: self._hook())

    def predicted(self, rows: Sequence[int | None], given: Any = None, result: Any = None, where: Any = None) -> None:
        """A `predict` has given arrays of so many rows, of what it was given."""
        if self.outputs is not None and given is not None:
            self.outputs.take(given, result, where)
        self._rows.update(n for n in rows if n is not None and n > 1)
        if self._rows and not self._predicted:
            self._predicted = True
            self._left, self._seconds = MAX_CALLS, 0.0
            if self._mine is None:
                self._hook()
            self.guard.part("sums", self._hook_sums)

    def _hook_sums(self) -> None:
        """Sums of arrays begin in two places; that of a method is where means begin, too."""
        methods, functions = _means(), sys.modules.get(_SUMS[0]) or sys.modules[_SUMS[1]]
        plain: Any = methods.umr_sum
        whole: Any = functions._wrapreduction
        add: Any = sys.modules["numpy"].add

        def of_method(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if args and sys._getframe(2).f_code.co_name == "_sum":
                self._summed(args[0])

        def of_function(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if len(args) > 1 and args[1] is add:
                self._summed(args[0])

        for module, name, original, then in (
            (methods, "umr_sum", plain, of_method), (functions, "_wrapreduction", whole, of_function),
        ):  # fmt: skip
            self._sums.append((module, name, original, followed(original, then)))
            self.guard.hooks.put(*self._sums[-1][:2], self._sums[-1][3])

    def _summed(self, value: Any) -> None:
        self._left -= 1
        if type(value) is sys.modules["numpy"].ndarray and value.size > 1:
            self.guard.run("sum", self._look_at, value, "sum")
        if self._left <= 0:
            self._take_back()

    def _look_at(self, value: Any, of: str) -> None:
        """Look at an array of which a mean or a sum is taken, once there are predictions."""
        started, frame = _clock(), None
        if value.ndim == 2 and value.shape[0] == value.shape[1] > 1:
            known = value.shape[0] in self._rows or self.covers(value.shape[0])
            pairs = known and value.size <= MAX_NUMBERS and of_pairs(value)
            if pairs or (of == "mean" and value.shape[0] in self._rows):
                self._note(value.shape, str(value.dtype), pairs, of)
        if self.reduced is not None:
            frame = _taker_frame()
        self._seconds += _clock() - started
        if self._seconds > MAX_SECONDS or len(self._seen) >= MAX_EVENTS:
            self._left = 0
        if frame is not None and self.reduced is not None:
            self.reduced(value, frame)  # it has its own bounds

    def _take_back(self) -> None:
        """NumPy's own functions again, where nobody else has put another one in the place of ours."""
        for module, name, original, watched in self._sums:
            if vars(module).get(name) is watched:
                setattr(module, name, original)

    def _hook(self) -> None:
        module, name = _means(), _TAKES
        original = getattr(module, name)
        array: Any = sys.modules["numpy"].ndarray

        def taken(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self._left -= 1
            value: Any = args[0] if args else None
            if type(value) is array and self._predicted and value.size > 1 and value.dtype.kind != "i":
                self.guard.run("table", self._look_at, value, "mean")
            elif type(value) is array and value.dtype.kind == "i" and 0 < value.size <= MAX_NUMBERS:
                self.guard.run("whole numbers", self._look, value)
            if self._left <= 0 and module.__dict__.get(name) is self._mine:
                setattr(module, name, original)
                self._mine = None
                self._take_back()

        self._mine = followed(original, taken)
        self.guard.hooks.put(module, name, self._mine)

    def _note(self, shape: tuple[int, ...], dtype: str, pairs: bool, of: str) -> None:
        frames = user_frames(skip=4, limit=8)
        where = frames[0] if frames else None
        key = ((where or {}).get("file"), (where or {}).get("line"))
        if where is not None and key not in self._seen:
            self._seen.add(key)
            self.guard.sink.write(
                schema.TABLE, shape=list(shape), dtype=dtype, pairs=pairs, of=of, where=where, frames=frames
            )

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
    frame = _taker_frame()
    return frame_dict(frame) if frame is not None else None


def _taker_frame() -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if is_user_file(file):
            return frame
        if file != HIDDEN and not any(part in file for part in _BETWEEN):
            return None
        frame = frame.f_back
    return None


def _means() -> Any:
    """The module in which NumPy's means are written; NumPy has been imported by then."""
    return next(sys.modules[name] for name in _MODULES if name in sys.modules)
