"""The rows that the functions of a program get, call by call, where it trains by steps of its own, and not by `fit`.

A loop over batches of indexes, or over a generator, gives its step a few rows at a time. Copies of them are put
together until a row comes again: they are what the program trains on, and are looked at as a `fit` of them would be.
What another function gets from then on is looked at as an `evaluate`, and so is what a layer or model of Keras gets
that the program calls outside of any function and tape. Nothing is copied from a GPU.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .. import compat, compat_gradients
from .clocks import of_thread
from .frames import hide, user_frames, wraps
from .given_rows import GivenRows
from .guard import Guard
from .labels import classes_of
from .loop_rows import Program
from .values import leaves

MAX_BYTES = 8 << 20
"""Of the rows of one function."""
MAX_SECONDS = 0.2
MAX_FUNCTIONS = 8
MAX_CALLS = 500
"""Of layers and models, in eager code."""
MAX_CLASSES = 100
_LEAST = 16
_BATCHES = 2
_SAMPLES = 16
"""Numbers of a row by which it is known again."""


@dataclass
class _Epoch:
    """The rows that a function got since its first call."""

    trains: bool
    facts: dict[str, Any]
    rows: list[Any] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    seen: set[bytes] = field(default_factory=set)
    bytes: int = 0
    closed: bool = False
    drawn: bool = False
    """Whether a row came again among new ones: the rows are a sample of others."""

    def take(self, rows: Any, labels: Any) -> bool:
        """Whether these are new rows, and were added."""
        numpy = sys.modules["numpy"]
        size = rows.nbytes + (labels.nbytes if labels is not None else 0)
        unlike = self.rows and (self.rows[0].shape[1:] != rows.shape[1:] or bool(self.labels) != (labels is not None))
        if unlike or self.bytes + size > MAX_BYTES:
            return False
        flat = rows.reshape(len(rows), -1)
        keys = [row.tobytes() for row in flat[:, :: max(1, flat.shape[1] // _SAMPLES)]]
        again = sum(key in self.seen for key in keys)
        self.drawn = self.drawn or 0 < again < len(keys)
        if keys[0] in self.seen:
            return False
        self.seen.update(keys)
        self.bytes += size
        self.rows.append(numpy.array(rows))
        if labels is not None:
            self.labels.append(numpy.array(labels))
        return True


class StepRows:
    """Asks about the rows of the functions that a program calls as a `fit` and an `evaluate` of them would."""

    def __init__(self, given: GivenRows, guard: Guard) -> None:
        self._given, self._guard = given, guard
        self._left, self._inside, self._watched = MAX_CALLS, False, False
        given.of_program = self._watch_layers
        self._epochs: weakref.WeakKeyDictionary[Any, _Epoch] = weakref.WeakKeyDictionary()
        self._seconds = 0.0

    def called(
        self, function: Any, trains: bool, args: Sequence[Any], kwargs: Mapping[str, Any], _: Any = None
    ) -> None:
        """A function of the program was called with success; a tape was asked for gradients in one that trains."""
        if self._given.of_keras or self._seconds >= MAX_SECONDS:
            return
        if trains:
            self._close_tests()
        known = self._epochs.get(function)
        if (known is not None and known.closed) or trains is (self._given.program is not None):
            return  # what it trains on is looked at first, and once
        started = of_thread()
        try:
            self._took(function, known, trains, args, kwargs)
        finally:
            self._seconds += of_thread() - started

    def _took(self, function: Any, known: _Epoch | None, trains: bool, args: Any, kwargs: Any) -> None:
        given = list(leaves((args, kwargs)))
        at = [n for n, value in enumerate(given) if _is_rows(value)]
        first = next((n for n in at if len(given[n].shape) > 1), None)
        if first is None:
            return
        second = next((n for n in at if n > first and given[n].shape[0] == given[first].shape[0]), None)
        if known is None:
            if len(self._epochs) >= MAX_FUNCTIONS:
                return
            known = self._epochs[function] = _Epoch(trains, _facts(function, first, second))
        labels = _array(given[second]) if second is not None else None
        if not known.take(_array(given[first]), labels):
            self._close(known)

    def _watch_layers(self) -> None:
        """The program trains by steps of its own: which rows do its models get from now on?"""
        module, name = compat.KERAS_LAYER_CLASSES[0]
        cls = getattr(sys.modules.get(module), name, None)
        if cls is None or self._watched:
            return
        self._watched = True
        call, guard, recorder = cls.__call__, self._guard, self

        def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            looks = not (recorder._inside or recorder._left <= 0 or guard.busy)
            recorder._inside = looks or recorder._inside
            try:
                result = call(layer, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            finally:
                if looks:
                    recorder._inside = False
            if looks:
                guard.run("layer rows", recorder._layer_called, layer, args)
            return result

        guard.hooks.put(cls, "__call__", wraps(call)(__call__))

    def _layer_called(self, layer: Any, args: Sequence[Any]) -> None:
        if compat.default_graph() is None and not compat_gradients.a_tape_records():
            self._left -= 1
            self.called(layer, False, args[:1], {})

    def at_exit(self) -> None:
        """The process ends: what came to no end."""
        for known in sorted(self._epochs.values(), key=lambda e: not e.trains):
            self._close(known)

    def _close_tests(self) -> None:
        for known in self._epochs.values():
            if not known.trains:
                self._close(known)

    def _close(self, known: _Epoch) -> None:
        if known.closed:
            return
        known.closed = True
        numpy, rows, labels = sys.modules["numpy"], known.rows, known.labels
        known.rows, known.labels, known.seen = [], [], set()
        if sum(map(len, rows)) < _LEAST or known.trains is (self._given.program is not None):
            return
        x, y = numpy.concatenate(rows), numpy.concatenate(labels) if labels else None
        method = "fit" if known.trains else "evaluate"
        in_blocks = blocks(y, len(labels[0])) if known.trains and labels else None
        if in_blocks is not None:
            self._given.write("batches", **in_blocks, **known.facts)
        self._given.begins(method, self._given.program or Program(), {"x": x, "y": y}, known.facts)
        if known.trains and known.drawn:
            self._given.sampled(self._given.program)


def blocks(labels: Any, size: int) -> dict[str, Any] | None:
    """Facts of labels that come class after class, the first one for some batches, in the order of the training."""
    classes, numpy = classes_of(labels, MAX_CLASSES), sys.modules["numpy"]
    if classes is None:
        return None
    many, other = len(numpy.unique(classes)), numpy.flatnonzero(classes != classes[0])
    alone = int(other[0]) if len(other) else 0
    if many != 1 + int((classes[1:] != classes[:-1]).sum()) or alone < _BATCHES * size:
        return None
    return {"rows": [alone // size * size, len(classes)], "classes": [1, many], "buffer": 0, "size": size}


def _facts(function: Any, first: int, second: int | None) -> dict[str, Any]:
    frames = user_frames(skip=4, limit=1)
    name = str(getattr(getattr(function, "python_function", None), "__name__", ""))
    at = [first, -1 if second is None else second]
    used = frames[0] if frames else None
    return {"model": None, "name": "a loop of the program", "loop": True, "step": name, "at": at, "used": used}


def _is_rows(value: Any) -> bool:
    """Whether it is an array of numbers that is in the memory of the host."""
    if compat.is_eager(value):
        there = bool(value.dtype.is_floating or value.dtype.is_integer) and "CPU" in value.device
    else:
        numpy = sys.modules.get("numpy")
        there = numpy is not None and isinstance(value, numpy.ndarray) and value.dtype.kind in "fiu"
    return there and len(value.shape) > 0 and int(value.shape[0]) > 0


def _array(value: Any) -> Any:
    return value.numpy() if compat.is_eager(value) else value
