"""What a program computes in NumPy of predictions and labels: whether they are of the same rows, and all written.

Looked at when NumPy takes a mean or a sum of as many numbers as a name of the function holds: which two names these are
the distance of, and which rows the predictions were made for, the numbers themselves say.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import FrameType
from typing import Any

from .. import schema
from .agreement import LEAST, apart, distance_of
from .clocks import of_thread
from .frames import frame_dict, is_user_file
from .guard import Guard
from .held_names import NameRecorder, names_of_frame
from .outputs import Outputs, array_of, keys_of, places_in

MAX_SECONDS = 0.1
MAX_LOOKS = 40
MAX_EVENTS = 10
MAX_NUMBERS = 500_000
_MOST_ARRAYS = 40
_MOST_FRAMES = 4
_LATEST = "the latest predictions"
Arrays = Mapping[str, Any]


@dataclass(frozen=True)
class _Score:
    """Two columns of which an array is the distance, row by row, and what they are called."""

    guesses: Any
    labels: Any
    names: tuple[str, str]
    distance: str


class ScoreRecorder:
    """Writes `score` events when the process ends."""

    def __init__(self, guard: Guard, outputs: Outputs, names: NameRecorder) -> None:
        self.guard, self.outputs, self.names = guard, outputs, names
        self._counts: dict[tuple[int, int], int] = {}
        self._looks = 0
        self._seconds = 0.0
        self._odd: dict[tuple[Any, ...], dict[str, Any]] = {}
        self._open: set[tuple[int, int]] = set()
        """Where an array had rows at its end that were not written: it may be filled further."""
        self._right: set[bytes] = set()
        """Labels that were compared with the predictions for their own rows, too."""

    def reduced(self, value: Any, frame: FrameType) -> None:
        """A line of the program takes a mean or a sum of an array."""
        if (
            not isinstance(value, sys.modules["numpy"].ndarray)
            or not LEAST <= value.size <= MAX_NUMBERS
            or value.dtype.kind not in "fb"
        ):
            return
        at = (id(frame.f_code), frame.f_lasti)
        count = self._counts[at] = self._counts.get(at, 0) + 1
        if (count & (count - 1) and at not in self._open) or self._looks >= MAX_LOOKS or self._seconds > MAX_SECONDS:
            return
        self._looks += at not in self._open
        started = of_thread()
        try:
            self.names.finished(frame)
            if value.dtype.kind == "f":
                self._look(at, value, frame)
        finally:
            self._seconds += of_thread() - started

    def at_exit(self) -> None:
        """The process ends: what was odd, and did not turn out well."""
        spent = self._seconds > MAX_SECONDS
        found = [e for e in self._odd.values() if not (e["what"] == "unfilled" and spent)]
        for event in [e for e in found if e.pop("labels", None) not in self._right][:MAX_EVENTS]:
            self.guard.sink.write(schema.SCORE, **event)

    def _look(self, at: tuple[int, int], value: Any, frame: FrameType) -> None:
        held = names_of_frame(frame)
        arrays = dict(_columns(held))
        self._unfilled(at, value, frame, arrays)
        pair = self._score(value, arrays, held)
        if pair is None:
            return
        keys = self.outputs.rows_of(pair.guesses)
        if keys is None:
            return
        label, right = pair.labels.tobytes()[: 1 << 16], False
        for of_guesses, of_labels, names in self._places(pair, keys, frame):
            right = right or bool((of_guesses == of_labels).all())
            found = apart(pair.guesses, pair.labels, of_guesses, of_labels)
            if found is not None:
                where = frame_dict(frame)
                self._odd[("apart", where["file"], where["line"])] = {
                    "what": "apart", "rows": [len(keys), int((of_guesses != of_labels).sum())], "numbers": list(found),
                    "names": [*pair.names, *names], "where": where, "distance": pair.distance, "labels": label,
                    "made": self.outputs.made(pair.guesses),
                }  # fmt: skip
                return
        if right:
            self._right.add(label)

    def _score(self, value: Any, arrays: Arrays, held: Arrays) -> _Score | None:
        """The predictions and labels of which a mean is taken, where their distance row by row is."""
        numpy, flat = sys.modules["numpy"], value.reshape(-1)
        if value.ndim == 2 and value.shape[0] == 2:  # a correlation
            shares = [self.outputs.share(row) for row in value]
            if sorted(shares)[0] < 0.5 < sorted(shares)[1]:
                guess, label = value[shares.index(max(shares))], value[shares.index(min(shares))]
                return _Score(guess, label, (_LATEST, _named(numpy, label, arrays)), "correlation")
            return None
        wide = value.ndim > 1 and value.size > len(value)
        parts = _of_size(held, value) if wide else [(n, c) for n, a in arrays.items() for c in _cuts(a, len(flat))]
        # Results may be a map, of one number for each row of the model, or have several numbers for each row.
        steps = (1, value.size // len(value)) if wide else (1,)
        guesses = [(n, c, k) for n, c in parts for k in steps if self.outputs.share(_some(c[::k])) > 0.9]
        latest = self.outputs.latest(len(flat)) if not wide else None
        if latest is not None:
            guesses.append((_LATEST, latest, 1))
        for name, guess, k in guesses:
            for other, label in parts:
                way = distance_of(flat, guess, label) if label is not guess else None
                if way is not None:
                    return _Score(guess[::k], label[::k], (name, other), way)
        return None

    def _places(self, pair: _Score, keys: Any, frame: FrameType) -> Iterator[tuple[Any, Any, tuple[str, str]]]:
        """The rows of predictions and of labels, each as numbers of rows of two arrays that belong together."""
        numpy = sys.modules["numpy"]
        around: dict[str, Any] = {}
        here: FrameType | None = frame
        found = 0
        while here is not None and found < _MOST_FRAMES:
            if is_user_file(here.f_code.co_filename):
                found += 1
                around = {**names_of_frame(here), **around}
            here = here.f_back
        several = [(n, a) for n, v in around.items() if (a := _plain(v)) is not None][:_MOST_ARRAYS]
        for name, rows in several:
            if rows.ndim < 2 or len(rows) < len(keys) or not self.outputs.are_rows(rows):
                continue
            at = places_in(numpy, keys_of(rows), keys)
            if at is None:
                continue
            if len(rows) == len(keys):
                yield at, numpy.arange(len(keys)), (name, pair.names[1])
                continue
            for other, labels in several:
                if labels is not rows and labels.ndim and len(labels) == len(rows):
                    first = labels.reshape(len(labels), -1)[:, 0]
                    of = places_in(numpy, first.astype("float32"), pair.labels.astype("float32"))
                    if of is not None:
                        yield at, of, (name, other)

    def _unfilled(self, at: tuple[int, int], value: Any, frame: FrameType, arrays: Arrays) -> None:
        """An array of predictions whose last rows, fewer than a batch, were never written, in a mean of all of it."""
        numpy = sys.modules["numpy"]
        code = frame.f_code
        self._open.discard(at)
        for name, array in arrays.items():
            if len(array) != value.size or array.dtype.kind != "f":
                continue
            empty = numpy.isnan(array) if bool(numpy.isnan(array[-1])) else array == 0
            rest = len(array) if bool(empty.all()) else int(empty[::-1].argmin())
            key = ("unfilled", code.co_filename, frame.f_lineno, name)
            self._odd.pop(key, None)
            part = array[: len(array) - rest]
            if not 0 < rest < self.outputs.largest or len(part) < LEAST or bool(empty[: len(part)].any()):
                continue
            flat = value.reshape(-1)
            scored = name and any(
                distance_of(flat[: len(part)], part, c[: len(part)])
                for other, a in arrays.items() if other != name for c in _cuts(a, len(flat))
            )  # fmt: skip
            if self.outputs.share(part) > 0.9 and scored:
                self._open.add(at)
                self._odd[key] = {
                    "what": "unfilled", "rows": [rest, len(array)], "names": [name], "where": frame_dict(frame),
                    "made": self.outputs.made(part),
                }  # fmt: skip


def _columns(held: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arrays of one number for each row that names hold, flat."""
    left = _MOST_ARRAYS
    for name, value in held.items():
        array = _plain(value)
        if array is not None and array.ndim and array.size == len(array) >= LEAST and left:
            left -= 1
            yield name, array.reshape(-1)


def _of_size(held: Mapping[str, Any], value: Any) -> list[tuple[str, Any]]:
    """The arrays of the same sizes that names hold, flat."""
    known = [
        (n, a) for n, v in held.items() if getattr(v, "shape", None) == value.shape and (a := _plain(v)) is not None
    ]
    return [(n, a.reshape(-1)) for n, a in known[:_MOST_ARRAYS]]


def _some(numbers: Any) -> Any:
    """Numbers from all columns: steps of one length may keep to one of them."""
    numpy = sys.modules["numpy"]
    return numbers[numpy.random.Generator(numpy.random.PCG64(5)).integers(0, len(numbers), 64)]


def _plain(value: Any) -> Any:
    if type(value).__module__.partition(".")[0] == "pandas" and type(value).__name__ == "Series":
        value = value.to_numpy()
    return array_of(value) if hasattr(value, "shape") else None


def _cuts(array: Any, count: int) -> list[Any]:
    """An array of so many numbers; of a longer one its last ones and its first."""
    if len(array) <= count:
        return [array] if len(array) == count else []
    return [array[-count:], array[:count]]


def _named(numpy: Any, label: Any, arrays: Arrays) -> str:
    return next((n for n, a in arrays.items() if len(a) == len(label) and bool((a == label).all())), "the labels")
