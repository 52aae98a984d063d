"""Attributes that the program sets on an object of Keras that has none of this name: `optimizer.lr`, `layer.trainabel`.

Python takes any name. What looks like a setting, and is none, has no effect and raises nothing.
"""

from __future__ import annotations

import difflib
import sys
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .frames import frame_dict, hide, is_user_file, wraps
from .guard import Guard
from .importhook import PostImportFinder

MAX_EVENTS = 10
_LIKE = 0.85
_OLD = {"lr": "learning_rate", "decay": "learning_rate"}
"""Names of earlier versions, by which optimizers have nothing any more."""


class MisnamedRecorder:
    """Writes `misnamed` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._seen: set[tuple[Any, ...]] = set()
        for module, cls in (compat.KERAS_LAYER_CLASSES[0], compat_gradients.KERAS_OPTIMIZERS[:2]):
            finder.when_imported(module, lambda m, c=cls: self._watch(m, c))  # type: ignore[misc]

    def _watch(self, module: ModuleType, name: str) -> None:
        cls: Any = getattr(module, name)
        original = cls.__dict__.get("__setattr__")
        if original is None:
            return

        def __setattr__(holder: Any, name: str, value: Any) -> None:
            __tracebackhide__ = True
            kind = type(holder)
            new = kind.__module__.startswith("keras.") and name not in holder.__dict__ and not hasattr(kind, name)
            try:
                original(holder, name, value)
            except BaseException as error:
                hide(error)
                raise
            if new and not name.startswith("_"):
                frame: Any = sys._getframe(1)
                while frame is not None and frame.f_code.co_name == "__setattr__":  # those of classes before this one
                    frame = frame.f_back
                if frame is not None and is_user_file(frame.f_code.co_filename):
                    self.guard.run("attribute", self._new, holder, name, value, frame)

        self.guard.hooks.put(cls, "__setattr__", wraps(original)(__setattr__))

    def _new(self, holder: Any, name: str, value: Any, frame: Any) -> None:
        """The program gave an object of Keras an attribute that it did not have: a number or a flag, as settings."""
        if not isinstance(value, (bool, int, float)):
            return
        known = [n for n in {*dir(type(holder)), *holder.__dict__} if not n.startswith("_") and n != name]
        old = _OLD.get(name) if "learning_rate" in known and hasattr(holder, "apply_gradients") else None
        like = difflib.get_close_matches(name, known, 1, _LIKE) if old is None else []
        meant = old or next((n for n in like if _is_as(value, getattr(holder, n, None))), None)
        where = frame_dict(frame)
        key = (name, where["file"], where["line"])
        if meant is None or key in self._seen or len(self._seen) >= MAX_EVENTS:
            return
        self._seen.add(key)
        self.guard.sink.write(schema.MISNAMED, name=name, meant=meant, of=type(holder).__name__, where=where)


def _is_as(value: Any, other: Any) -> bool:
    """Whether both are flags, or both are numbers."""
    return isinstance(other, (bool, int, float)) and isinstance(value, bool) == isinstance(other, bool)
