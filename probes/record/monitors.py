"""Callbacks of Keras that wait for a metric which no epoch reports: they do nothing, and `fit` prints a warning."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
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
_EPOCHS = 5
_AGAINST = 0.9
"""The least rank correlation with the loss by which a metric of any name has a direction."""


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
        mode = _mode(callback)
        name = wanted[len("val_") :] if wanted.startswith("val_") else wanted
        wrong = {"min": _UP, "max": _DOWN}.get(mode, ())
        values = [v for v in history.get(wanted, ()) if isinstance(v, float)]
        by_name = any(word in name.lower() for word in wrong) and "neg" not in name.lower()
        known = any(word in name.lower() for word in (*_UP, *_DOWN))
        loss = None if known else _followed(wanted, values, mode, history)
        if not (by_name or loss) or len(set(values)) < 2 or self._events > MAX_EVENTS:
            return
        self._events += 1
        self.guard.sink.write(
            schema.MONITOR,
            callback=type(callback).__name__,
            wanted=wanted,
            reported=[],
            mode=mode,
            loss=loss,
            least=min(values),
            most=max(values),
            epochs=len(values),
            model=call["model"],
            made=self._made.get(callback),
            where=call["where"],
        )


def _mode(callback: Any) -> str:
    """Whether a callback takes the least or the greatest value for the best; also where it chose so by a name."""
    mode = str(getattr(callback, "mode", None))
    chosen = str(getattr(getattr(callback, "monitor_op", None), "__name__", ""))
    return {"less": "min", "greater": "max"}.get(chosen, mode) if mode == "auto" else mode


def _followed(wanted: str, values: Sequence[float], mode: str, history: Mapping[str, Any]) -> str | None:
    """The loss whose worst epoch is the best one for a callback: all over the run, the metric gets better as the loss
    gets worse.
    """
    name = "val_loss" if wanted.startswith("val_") and "val_loss" in history else "loss"
    losses = [v for v in history.get(name, ()) if isinstance(v, float)]
    if len(values) < _EPOCHS or len(losses) != len(values) or mode not in ("min", "max") or len(set(values)) < _EPOCHS:
        return None
    best = values.index(min(values) if mode == "min" else max(values))
    agree = _rank_correlation(values, losses) * (1 if mode == "min" else -1)
    return name if agree <= -_AGAINST and losses[best] == max(losses) and losses[-1] < losses[0] else None


def _rank_correlation(a: Sequence[float], b: Sequence[float]) -> float:
    places = [[sorted(v).index(x) for x in v] for v in (a, b)]
    means = [sum(p) / len(p) for p in places]
    one, other = ([x - m for x in p] for p, m in zip(places, means, strict=True))
    size = (sum(x * x for x in one) * sum(x * x for x in other)) ** 0.5
    return sum(x * y for x, y in zip(one, other, strict=True)) / size if size else 0.0


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
