"""Callbacks of Keras that wait for a metric which no epoch reports: they do nothing, and `fit` prints a warning."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from .. import compat, schema
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_EVENTS = 20
_UP = ("acc", "auc", "precision", "recall", "f1", "iou", "dice", "psnr", "ssim")
_DOWN = ("loss", "error", "mse", "mae", "rmse", "mape", "crossentropy")
"""What is in the names of metrics of which more, or less, is better."""


class MonitorRecorder:
    """Writes `monitor` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._made: weakref.WeakKeyDictionary[Any, dict[str, Any]] = weakref.WeakKeyDictionary()
        self._events = 0
        for module, cls in compat.KERAS_CALLBACKS:
            finder.when_imported(module, lambda m, c=cls: self._watch(m, c))  # type: ignore[misc]

    def _watch(self, module: ModuleType, name: str) -> None:
        cls: Any = getattr(module, name)
        if cls.__module__ != module.__name__:
            return  # Keras 3 defines it in the module before

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("callback", self._note, args[0])

        self.guard.hooks.put(cls, "__init__", followed(cls.__init__, made))

    def _note(self, callback: Any) -> None:
        frame = next((f for f in user_frames(skip=4, limit=4) if not f["function"].endswith("__init__")), None)
        if frame is not None:
            self._made[callback] = frame

    def fitted(self, call: Mapping[str, Any], result: Any) -> list[str]:
        """A `fit` ended well: the callbacks that wait for a metric of any name; `result` holds those reported."""
        found: list[str] = []
        history = getattr(result, "history", None)
        if not isinstance(history, dict) or not history:
            return found
        epochs = max(len(v) for v in history.values() if isinstance(v, list))
        often = call.get("validation_freq")
        if isinstance(often, int) and often > epochs:
            return found  # its validation was not due yet
        reported = sorted(str(name) for name in history)
        for held in call["callbacks"]:
            callback = held()
            wanted = getattr(callback, "monitor", None)
            if not isinstance(wanted, str) or not _waits(callback):
                continue
            found.append(type(callback).__name__)
            self._directed(callback, wanted, history, call)
            self._events += wanted not in history
            if wanted in history or self._events > MAX_EVENTS:
                continue
            self.guard.sink.write(
                schema.MONITOR,
                callback=type(callback).__name__,
                wanted=wanted,
                reported=reported[:50],
                epochs=epochs,
                model=call["model"],
                made=self._made.get(callback),
                where=call["where"],
            )
        return found

    def _directed(self, callback: Any, wanted: str, history: dict[str, Any], call: Mapping[str, Any]) -> None:
        """Is the best value of a metric, as its name has it, the worst one for the callback?"""
        mode = getattr(callback, "mode", None)
        name = wanted.removeprefix("val_").lower()
        wrong = {"min": _UP, "max": _DOWN}.get(str(mode), ())
        values = [v for v in history.get(wanted, ()) if isinstance(v, float)]
        if (
            not any(word in name for word in wrong)
            or "neg" in name
            or len(set(values)) < 2
            or self._events > MAX_EVENTS
        ):
            return
        self._events += 1
        self.guard.sink.write(
            schema.MONITOR,
            callback=type(callback).__name__,
            wanted=wanted,
            reported=[],
            mode=mode,
            least=min(values),
            most=max(values),
            epochs=len(values),
            model=call["model"],
            made=self._made.get(callback),
            where=call["where"],
        )


def weakly(callbacks: Any) -> list[Any]:
    """The callbacks of a `fit`, given alone, in a list, or in a `CallbackList`, held by nobody."""
    inner = getattr(callbacks, "callbacks", callbacks)
    return [weakref.ref(c) for c in (inner[:100] if isinstance(inner, (list, tuple)) else [inner]) if c is not None]


def _waits(callback: Any) -> bool:
    """Whether a callback of Keras itself does nothing without its metric; a checkpoint only where it keeps the best."""
    kinds = [c for c in type(callback).__mro__ if (c.__module__ or "").partition(".")[0] in ("keras", "tf_keras")]
    if not any(c.__name__ in compat.KERAS_MONITORS for c in kinds):
        return False
    return bool(getattr(callback, "save_best_only", True))
