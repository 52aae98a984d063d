"""Batch normalisation and dropout that never did their work: a step of the program's own that trains, and calls its
model for inference.

Looked at by what the layers keep: statistics that are still those of a new layer while its scale was trained, a
generator that never drew. At the end of the process, and batch normalisation after each `fit`, too: its model may be
gone by the end.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Collection
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, compat_graph, schema
from .digests import inner_of
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_LAYERS = 400
MAX_BYTES = 4 << 20
MAX_LOOKS = 60
BATCH, DROPOUT, AFTER = "batch-normalization", "dropout", "after-training"
MAX_STEPS = 20_000
"""So many gradients, and then nobody looks where batch normalisation is called any more."""


class _Seen:
    """A layer, the line that made it, and what was last found of it."""

    __slots__ = ("layer", "made", "name", "state")

    def __init__(self, layer: Any, made: dict[str, Any] | None) -> None:
        self.layer, self.made = weakref.ref(layer), made
        self.name = ""
        self.state: bool | None = None


class IdleRecorder:
    """Writes `idle-layer` events."""

    def __init__(
        self, guard: Guard, finder: PostImportFinder, trained: Collection[int], steps: Callable[[], int] = lambda: 0
    ) -> None:
        self.guard = guard
        self._steps = steps
        """The gradients that were taken so far."""
        self._at = -1
        self._after: tuple[str, list[dict[str, Any]]] | None = None
        """(layer, the user's calls) of the statistics of a batch that were first taken since the last gradient."""
        self._trained = trained
        self._layers: dict[str, list[_Seen]] = {BATCH: [], DROPOUT: []}
        self._left = MAX_BYTES // 2
        self._looks = 0
        for what, (module, name) in [
            (BATCH, compat_gradients.KERAS_BATCH),
            *((DROPOUT, d) for d in compat_gradients.KERAS_DROPOUT),
        ]:
            finder.when_imported(module, lambda m, n=name, w=what: self._watch(m, n, w))  # type: ignore[misc]

    def _watch(self, module: ModuleType, name: str, what: str) -> None:
        cls: Any = getattr(module, name)
        found = self._layers[what]

        def made(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if len(found) < MAX_LAYERS:
                self.guard.run("layer", self._note, found, args[0])

        self.guard.hooks.put(cls, "__init__", followed(cls.__init__, made))
        if what == BATCH and callable(getattr(cls, compat_gradients.KERAS_MOMENTS, None)):
            self._watch_mode(cls, compat_gradients.KERAS_MOMENTS)

    def _watch_mode(self, cls: Any, name: str) -> None:
        """Keras calls this in the mode of training alone."""

        def taken(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if self._at != self._steps() < MAX_STEPS:
                self.guard.run("layer", self._taken, args[0], args[1])

        self.guard.hooks.put(cls, name, followed(getattr(cls, name), taken))

    def _taken(self, layer: Any, inputs: Any) -> None:
        """The first one since a gradient; of a single row it may be meant, and in a graph it says nothing of calls."""
        rows = (compat.dims(getattr(inputs, "shape", None)) or [None])[0]
        if compat.default_graph() is None and rows != 1:
            self._at = self._steps()
            frames = user_frames(skip=4)
            self._after = (str(layer.name), frames) if frames else None

    def _note(self, found: list[Any], layer: Any) -> None:
        frames = user_frames(skip=4, limit=1)
        found.append(_Seen(layer, frames[0] if frames else None))

    def fitted(self) -> None:
        """A `fit` has ended: its model may be gone before the process ends."""
        if self._layers[BATCH] and self._looks < MAX_LOOKS:
            self._looks += 1
            self._look(BATCH, self._never_normalised)

    def _look(self, what: str, check: Callable[[Any], bool | None]) -> None:
        for seen in self._layers[what]:
            layer = seen.layer() if seen.state is not False else None  # one that has done its work stays so
            state = check(layer) if layer is not None else None
            if layer is not None and state is not None:
                seen.name, seen.state = str(layer.name), state

    def at_exit(self) -> None:
        """The process ends."""
        if not self._trained or not compat.context_is_initialized():
            return
        if self._after and self._at == self._steps():
            name, frames = self._after
            self.guard.sink.write(
                schema.IDLE_LAYER, what=AFTER, layers=[name], count=1, of=1, made=frames[0], frames=frames[1:]
            )
        self._left = MAX_BYTES
        self._look(BATCH, self._never_normalised)
        self._look(DROPOUT, self._never_dropped)
        for what, layers in self._layers.items():
            known = [seen for seen in layers if seen.state is not None or seen.layer() is not None]
            idle = [seen for seen in known if seen.state]
            if not idle or (what == DROPOUT and any(seen.state is False for seen in known)):
                continue
            self.guard.sink.write(
                schema.IDLE_LAYER,
                what=what,
                layers=[seen.name for seen in idle[:40]],
                count=len(idle),
                of=len(known),
                made=idle[0].made,
            )

    def _never_normalised(self, layer: Any) -> bool | None:
        """Whether its scale or shift was given gradients, while its statistics are those of a new layer."""
        scales = [v for v in (getattr(layer, "gamma", None), getattr(layer, "beta", None)) if v is not None]
        if not any(id(v) in self._trained for v in scales) or not getattr(layer, "trainable", False):
            return None
        mean, variance = self._value(layer.moving_mean), self._value(layer.moving_variance)
        if mean is None or variance is None:
            return None
        return bool((mean == 0).all() and (variance == 1).all())

    def _never_dropped(self, layer: Any) -> bool | None:
        """Whether its generator, which counts, has never drawn; None of a layer that drops nothing."""
        state = getattr(getattr(layer, "seed_generator", None), "state", None)
        if (
            state is None
            or not (getattr(layer, "rate", 0) or getattr(layer, "stddev", 0))
            or not getattr(layer, "built", False)
        ):
            return None
        value = self._value(state)
        return None if value is None else int(value[-1]) == 0

    def _value(self, variable: Any) -> Any:
        inner = inner_of(variable)
        self._left -= compat.bytes_of(inner)
        if self._left < 0 or not compat_graph.is_local_variable(inner) or "numpy" not in sys.modules:
            return None
        return inner.numpy()
