"""Layers that are frozen, or thawed, when the step that trains them has been traced: the step goes on as before.

Keras reads `trainable` when it traces the step, and so does a `tf.function` of the program; a new `compile` makes a new
step. Where a flag is not what it was, the values of these variables are read before and after, as digests.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Collection, Mapping
from types import ModuleType
from typing import Any

from .. import compat, schema
from .digests import Digests, name_of
from .frames import hide, user_frames, wraps
from .guard import Guard
from .importhook import PostImportFinder
from .left_out import LeftOut

MAX_BYTES = 32 << 20
MAX_EVENTS = 20
MAX_SETS = 40
MAX_VARIABLES = 40
Where = dict[str, Any]


class FrozenRecorder:
    """Writes `trainable` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder, trained: Collection[int], left_out: LeftOut) -> None:
        self.guard = guard
        self.left_out = left_out
        self._trained = trained
        self._local = threading.local()
        self._fits: weakref.WeakKeyDictionary[Any, _Fit] = weakref.WeakKeyDictionary()
        self._sets: list[_Set] = []
        self._digests = Digests(MAX_BYTES)
        self._events = 0
        for module, cls in compat.KERAS_LAYER_CLASSES:
            finder.when_imported(module, lambda m, c=cls: guard.part("_hook_trainable", self._watch, m, c))  # type: ignore[misc]

    def _watch(self, module: ModuleType, name: str) -> None:
        cls: Any = getattr(module, name)
        found = cls.__dict__["trainable"]
        setter, local = found.fset, self._local

        def trainable(layer: Any, value: Any) -> None:
            __tracebackhide__ = True
            inner, local.inner = getattr(local, "inner", False), True  # it sets the layers within
            try:
                setter(layer, value)
            except BaseException as error:
                hide(error)
                raise
            finally:
                local.inner = inner
            if not inner:
                self.guard.run("trainable", self._set, layer, bool(value))

        self.guard.hooks.put(cls, "trainable", property(found.fget, wraps(setter)(trainable), None, found.__doc__))

    def _set(self, layer: Any, value: bool) -> None:
        """The program freezes or thaws a layer of which an optimizer has trained a variable, or not."""
        variables = list(getattr(layer, "weights", ()))[:MAX_VARIABLES]
        mine = [v for v in variables if id(v) in self._trained]
        frames = user_frames(skip=4, limit=1)
        if value:
            self.left_out.thawed(layer, variables, frames[0] if frames else None)
        else:
            self.left_out.frozen(layer, variables, frames[0] if frames else None)
        if len(self._sets) >= MAX_SETS or not (value or mine):
            return
        earlier = [s for s in self._sets if s.layer() is layer]
        for one in earlier:
            one.again = True
        found = _Set(layer, value, frames[0] if frames else None, again=bool(earlier))
        if not value and not earlier and compat.default_graph() is None:
            found.before = [(weakref.ref(v), name_of(v), d) for v in mine if (d := self._digests.of(v)) is not None]
        self._sets.append(found)

    # -- a call of Keras --------------------------------------------------------------------------------------------

    def begins(self, model: Any, where: Where | None) -> Any:
        """A `fit` begins; what to hand to `ends`, where flags have changed since its step was traced."""
        step, known = getattr(model, "train_function", None), self._fits.get(model)
        now = {id(v): v for v in model.trainable_variables}
        if step is None or known is None or known.step() is not step:
            return _Change(model, where, tuple(now))
        frozen = [v for v in model.weights if id(v) in known.variables and id(v) not in now][:MAX_VARIABLES]
        thawed = [v for v in now.values() if id(v) not in known.variables][:MAX_VARIABLES]
        if not frozen and not thawed:
            return None
        change = _Change(model, where, None)
        for what, variables in (("frozen", frozen), ("thawed", thawed)):
            change.before[what] = [(v, d) for v in variables if (d := self._digests.of(v)) is not None]
        return change

    def ends(self, change: Any) -> None:
        """The `fit` has ended well: whose values has it moved?"""
        if not isinstance(change, _Change):
            return
        model = change.model()
        step = getattr(model, "train_function", None)
        if model is None or step is None:
            return
        if change.variables is not None:
            self._fits[model] = _Fit(step, frozenset(change.variables))
            return
        for what, before in change.before.items():
            wrong = [v for v, d in before if (self._digests.of(v) != d) == (what == "frozen")]
            if not wrong or len(wrong) < len(before):
                continue  # only some of them: it is something else
            at = self._set_of(wrong, what == "thawed")
            self._write(what, wrong, getattr(model, "name", None), at, change.where)

    def _set_of(self, variables: list[Any], value: bool) -> _Set | None:
        """The last line that set the flag of a layer with one of these variables."""
        ids = {id(v) for v in variables}
        for found in reversed(self._sets):
            layer = found.layer()
            if found.value == value and layer is not None and ids & {id(v) for v in layer.weights}:
                return found
        return None

    def _write(
        self, what: str, variables: list[Any], model: Any, at: _Set | None, used: Mapping[str, Any] | None
    ) -> None:
        self._events += 1
        if self._events > MAX_EVENTS:
            return
        layer = at.layer() if at is not None else None
        if at is not None:
            at.told = True
        self.guard.sink.write(
            schema.TRAINABLE,
            what=what,
            layer=str(getattr(layer, "name", "")),
            model=model,
            variables=[name_of(v) for v in variables],
            count=len(variables),
            where=at.where if at is not None else None,
            used=used,
        )

    def at_exit(self) -> None:
        """The process ends: which of the frozen variables were moved by a step of the program's own?"""
        self.left_out.at_exit()
        digests = Digests(MAX_BYTES)
        for at in self._sets:
            if at.value or at.again or at.told or not at.before:
                continue
            alive = [(v, d) for r, _, d in at.before if (v := r()) is not None]
            moved = [v for v, d in alive if (now := digests.of(v)) is not None and now != d]
            if moved and len(moved) == len(alive) and not any(getattr(v, "trainable", False) for v in moved):
                self._write("frozen", moved, None, at, None)


class _Set:
    """A flag that the program set, and the values of the variables then."""

    def __init__(self, layer: Any, value: bool, where: Where | None, again: bool) -> None:
        self.layer = weakref.ref(layer)
        self.value, self.where, self.again, self.told = value, where, again, False
        self.before: list[tuple[Any, str, str]] = []


class _Fit:
    """The step of a model, and the variables that could be trained when it was traced."""

    def __init__(self, step: Any, variables: frozenset[int]) -> None:
        self._step, self.variables = weakref.ref(step), variables

    def step(self) -> Any:
        return self._step()


class _Change:
    """A `fit` under way: of the first one of a step its variables, else the values of those with a changed flag."""

    def __init__(self, model: Any, where: Where | None, variables: tuple[int, ...] | None) -> None:
        self.model, self.where, self.variables = weakref.ref(model), where, variables
        self.before: dict[str, list[tuple[Any, str]]] = {}
