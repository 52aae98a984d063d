"""Models that a program calls itself, outside of Keras' own methods, functions and tapes.

A call costs a look at who calls. What the functions hold that call is noted at the first, second, fourth … call of each
line; which rows a model was given and what it gave, for so many calls (`outputs.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .frames import frame_dict, hide, is_user_file, user_frames, wraps
from .guard import Guard
from .held_names import NameRecorder
from .importhook import PostImportFinder
from .outputs import Outputs, array_of
from .scored import ScoreRecorder
from .tables import TableRecorder
from .tracing import TraceRecorder

MAX_SITES = 40
MAX_LOOKS = 24
MAX_LOOKS_OF_ONE = 5
_BETWEEN = 6
"""Frames of Keras between the call of a model and what we replace."""


class _Site:
    """A line that calls models."""

    def __init__(self, where: dict[str, Any]) -> None:
        self.where = where
        self.looks = 0
        self.shape: list[int] | None = None
        self.model = ""


class DirectCalls:
    """Writes `direct` events when the process ends: where models were called, how often, and with which result."""

    def __init__(
        self, guard: Guard, finder: PostImportFinder, names: NameRecorder, outputs: Outputs, within: Callable[[], bool]
    ) -> None:
        self.guard, self.names, self.outputs, self.within = guard, names, outputs, within
        self.called_one: Callable[[list[int]], None] = lambda rows: None
        """Called with the rows of a result."""
        self._inside = False
        self._counts: dict[tuple[int, int], int] = {}
        self._untaped: set[tuple[int, int]] = set()
        """The lines whose calls no tape followed when they were looked at: those of an evaluation."""
        self._sites: dict[tuple[int, int], _Site] = {}
        self._looks = 0
        for module, name in compat_gradients.KERAS_LOADERS:
            finder.when_imported(module, lambda m, n=name: guard.part("_hook_direct", self._watch, m, n))  # type: ignore[misc]

    def _watch(self, module: ModuleType, name: str) -> None:
        cls: Any = getattr(module, name)
        recorder, counts, caller, untaped = self, self._counts, _caller, self._untaped
        own = vars(cls).get("__call__")

        def __call__(model: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            within, recorder._inside = recorder._inside, True
            above: Any = super(cls, model)  # the next class with a `__call__` may be one of the program
            try:
                result = above.__call__(*args, **kwargs) if own is None else own(model, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            finally:
                recorder._inside = within
            if within:
                return result
            frame = caller(sys._getframe(1))
            if frame is not None:
                at = (id(frame.f_code), frame.f_lasti)
                count = counts[at] = counts.get(at, 0) + 1
                if not count & (count - 1) or (at in untaped and recorder.outputs.open):
                    recorder.guard.run("direct call", recorder._called, at, count, model, args, result, frame)
            return result

        self.guard.hooks.put(cls, "__call__", wraps(cls.__call__)(__call__))

    def _called(self, at: Any, count: int, layer: Any, args: Any, result: Any, frame: FrameType) -> None:
        if compat.default_graph() is not None or self.within() or compat_gradients.a_tape_records():
            self._untaped.discard(at)
            return
        self._untaped.add(at)
        if args:
            self.outputs.take(args[0], result, frame_dict(frame))
        if not count & (count - 1):
            self._look(at, layer, result, frame)

    def _look(self, at: Any, layer: Any, result: Any, frame: FrameType) -> None:
        site = self._sites.get(at)
        if site is None:
            if len(self._sites) >= MAX_SITES or not compat.is_eager(result):
                return
            site = self._sites[at] = _Site(frame_dict(frame))
            site.shape, site.model = [int(n) for n in result.shape], str(getattr(layer, "name", ""))
        gave = array_of(result)
        if gave is not None and gave.ndim:
            self.called_one([len(gave)])
        if site.looks < MAX_LOOKS_OF_ONE and self._looks < MAX_LOOKS:
            site.looks += 1
            self._looks += 1
            self.names.directly()

    def ran(self, args: Sequence[Any], result: Any) -> None:
        """A function of the program that takes no gradients gave a result, maybe that of a model."""
        if not self.outputs.open or not compat.is_eager(result) or not len(result.shape):
            return
        count = int(result.shape[0])
        rows = next((a for a in args if len(getattr(a, "shape", None) or ()) > 1 and a.shape[0] == count), None)
        if rows is not None:
            self.outputs.take(rows, result, next(iter(user_frames(skip=4, limit=1)), None))
            self.called_one([count])

    def at_exit(self) -> None:
        """The process ends."""
        for at, site in self._sites.items():
            self.guard.sink.write(
                schema.DIRECT, model=site.model, calls=self._counts.get(at, 0), shape=site.shape, where=site.where
            )


def of_calls(
    guard: Guard,
    finder: PostImportFinder,
    tracing: TraceRecorder,
    tables: TableRecorder,
    names: NameRecorder,
    operands: Any,
) -> tuple[DirectCalls, ScoreRecorder]:
    """What looks at the models that the program calls itself, and at what it computes of their results."""
    outputs = Outputs()
    calls = DirectCalls(guard, finder, names, outputs, lambda: bool(tracing.keras_calls))
    scores = ScoreRecorder(guard, outputs, names)
    calls.called_one = tables.predicted
    tables.covers, tables.reduced, tables.outputs = outputs.covers, scores.reduced, outputs
    if operands is not None:
        operands.predicted = outputs.has
    step = tracing.given

    def given(function: Any, trains: bool, args: Any, kwargs: Any, result: Any) -> None:
        step(function, trains, args, kwargs, result)
        if not trains:
            calls.ran(args, result)

    tracing.given = given
    return calls, scores


def _caller(frame: FrameType | None) -> FrameType | None:
    """The program's frame that calls a model; None where a library does."""
    for _ in range(_BETWEEN):
        if frame is None or is_user_file(frame.f_code.co_filename):
            return frame
        frame = frame.f_back
    return None
