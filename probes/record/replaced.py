"""What a program puts in the place of something that trains: a tensor for a variable, a rate on an optimizer that makes
no more steps. And of a schedule, the numbers that it is made of.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from .. import compat_gradients, schema
from .digests import name_of
from .frames import followed, frame_dict, hide, is_user_file, user_frames, wraps
from .guard import Guard
from .importhook import PostImportFinder
from .unmoved import number_in

MAX_EVENTS = 10
MAX_NUMBERS = 20
"""Of a list in a schedule."""


class ReplacedRecorder:
    """Writes `replaced` events, at the end. `steps()` is how many gradients were taken by now."""

    def __init__(self, guard: Guard, finder: PostImportFinder, steps: Callable[[], int]) -> None:
        self.guard = guard
        self.models: Iterable[Any] = ()
        """The models that were compiled."""
        self._steps = steps
        self._variables: dict[tuple[Any, ...], tuple[int, dict[str, Any]]] = {}
        self._rates: list[_Rate] = []
        self._optimizers: weakref.WeakKeyDictionary[Any, _Optimizer] = weakref.WeakKeyDictionary()
        self._schedules: list[_Optimizer] = []
        finder.when_imported("tensorflow", self._hook_attributes)
        finder.when_imported(compat_gradients.KERAS_OPTIMIZERS[0], self._hook_rate)

    def _hook_attributes(self, _: ModuleType) -> None:
        cls: Any = compat_gradients.trackable_class()
        original = cls.__setattr__

        def __setattr__(holder: Any, name: str, value: Any) -> None:
            __tracebackhide__ = True
            old = holder.__dict__.get(name)
            try:
                original(holder, name, value)
            except BaseException as error:
                hide(error)
                raise
            if old is not None and old is not value and hasattr(type(old), "assign_sub"):
                frame: Any = sys._getframe(1)
                while frame is not None and frame.f_code.co_name == "__setattr__":  # those of classes before this one
                    frame = frame.f_back
                if frame is not None and is_user_file(frame.f_code.co_filename):
                    self.guard.run("variable replaced", self._replaced, holder, name, old, value, frame)

        self.guard.hooks.put(cls, "__setattr__", wraps(original)(__setattr__))

    def _replaced(self, holder: Any, name: str, old: Any, value: Any, frame: Any) -> None:
        if hasattr(value, "assign_sub") or not getattr(old, "trainable", False):
            return
        if not (isinstance(value, (int, float)) or hasattr(value, "dtype")) or isinstance(value, bool):
            return
        where = frame_dict(frame)
        key = (type(holder).__name__, name, where["line"])
        if key not in self._variables and len(self._variables) < MAX_EVENTS:
            told = {
                "what": "variable", "name": name, "of": key[0], "variable": name_of(old), "by": type(value).__name__,
                "where": where,
            }  # fmt: skip
            self._variables[key] = (self._steps(), told)

    # -- rates ------------------------------------------------------------------------------------------------------

    def _hook_rate(self, module: ModuleType) -> None:
        cls: Any = getattr(module, compat_gradients.KERAS_OPTIMIZERS[1])
        found = cls.__dict__["learning_rate"]
        watched = followed(found.fset, lambda args, kwargs, result: self.guard.run("rate", self._set, args[0]))
        self.guard.hooks.put(cls, "learning_rate", property(found.fget, watched, found.fdel, found.__doc__))

    def applied(self, optimizer: Any, variables: Sequence[Any]) -> None:
        """An optimizer makes a step, or the step is traced."""
        known = self._optimizers.get(optimizer)
        if known is not None:
            known.steps += 1
            return
        known = self._optimizers[optimizer] = _Optimizer(optimizer, id(variables[0]))
        if known.numbers and len(self._schedules) < MAX_EVENTS:
            self._schedules.append(known)

    def _set(self, optimizer: Any) -> None:
        """The program sets the rate of an optimizer: does the model that it trained have another one by now?"""
        self._rates = [r for r in self._rates if r.optimizer() is not optimizer]
        known = self._optimizers.get(optimizer)
        first = known.first if known is not None else None
        mine = [m for m in self.models if any(id(v) == first for v in m.trainable_variables[:1])]
        if len(self._rates) >= MAX_EVENTS or not mine or any(getattr(m, "optimizer", None) is optimizer for m in mine):
            return
        frames = user_frames(skip=4, limit=1)
        if frames:
            others = [(weakref.ref(o), _steps_of(o)) for o in self._optimizers if o is not optimizer]
            self._rates.append(_Rate(optimizer, _steps_of(optimizer), others, frames[0]))

    def fitted(self) -> None:
        """A `fit` has ended: its optimizer may be gone before the process ends."""
        for rate in self._rates:
            rate.look(self._optimizers)
        for known in self._schedules:
            known.look()

    def at_exit(self) -> None:
        """The process ends."""
        for since, told in self._variables.values():
            if self._steps() > since + 1:
                self.guard.sink.write(schema.REPLACED, steps=self._steps() - since, **told)
        self.fitted()
        for known in self._schedules:
            self.guard.sink.write(schema.SCHEDULE, of=known.kind, numbers=known.numbers, steps=known.steps)
        for rate in self._rates:
            if rate.idle:
                self.guard.sink.write(
                    schema.REPLACED,
                    what="rate",
                    name=rate.name,
                    of=rate.kind,
                    steps=rate.idle,
                    variable=None,
                    by=None,
                    where=rate.where,
                )


class _Optimizer:
    """The first variable that an optimizer was given, its steps as far as they are known, and the numbers among the
    attributes of its schedule.
    """

    def __init__(self, optimizer: Any, first: int) -> None:
        self.optimizer, self.first, self.steps = weakref.ref(optimizer), first, 1
        self._iterations = getattr(optimizer, "iterations", None)
        rate = getattr(optimizer, "_learning_rate", None)
        self.kind, self.numbers = type(rate).__name__, dict[str, float]()
        if callable(rate) and not hasattr(rate, "assign"):
            for name, value in getattr(rate, "__dict__", {}).items():
                for n, v in enumerate(value[:MAX_NUMBERS] if isinstance(value, (list, tuple)) else [value]):
                    if type(v) in (int, float):
                        self.numbers[f"{name}.{n}" if v is not value else name] = v

    def look(self) -> None:
        """How many steps were there by now?"""
        self.steps = max(self.steps, int(number_in(self._iterations) or 0))


class _Rate:
    """A rate that the program set, and the steps of the optimizers by then. `idle`: so many steps another one made
    since, and this one none.
    """

    def __init__(self, optimizer: Any, steps: int, others: list[tuple[Any, int]], where: dict[str, Any]) -> None:
        self.optimizer, self.steps, self.where = weakref.ref(optimizer), steps, where
        self.kind, self.name = type(optimizer).__name__, str(getattr(optimizer, "name", ""))
        self._others, self.idle = others, 0

    def look(self, optimizers: Any) -> None:
        """Who has made steps since?"""
        mine = self.optimizer()
        if mine is None:
            return
        if _steps_of(mine) != self.steps:
            self.idle = 0
            return
        known = {id(o): n for r, n in self._others if (o := r()) is not None}
        self.idle = max([_steps_of(o) - known.get(id(o), 0) for o in optimizers if o is not mine], default=0)


def _steps_of(optimizer: Any) -> int:
    return int(number_in(getattr(optimizer, "iterations", None)) or 0)
