"""Layers that are frozen and that nothing uses afterwards, while their clones are trained; and layers that are made
trainable after the list of what is trained was made.

The calls of layers are looked at from the first line that freezes one, until each of these was called, or for so many
calls; then Keras has its own function again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .. import compat, schema
from .digests import Digests, name_of
from .frames import followed
from .guard import Guard
from .importhook import PostImportFinder

MAX_LAYERS = 20
MAX_CALLS = 3000
MAX_BYTES = 8 << 20
MAX_TRAINED = 4000
LEAST = 3
"""So many steps without the variables of a layer are worth an event."""
Shape = tuple[Any, ...]


class LeftOut:
    """Writes `left-out` events, at the end."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self.steps: Callable[[], int] = lambda: 0
        """How many gradients were taken by now."""
        self._layers: list[_Frozen] = []
        self._thawed: list[tuple[int, _Frozen]] = []
        self._trained: dict[int, tuple[str, Shape]] = {}
        self._digests = Digests(MAX_BYTES)
        self._calls = 0
        self._class: Any = None
        self._own: Any = None
        self._watched: Any = None
        module, self._name = compat.KERAS_LAYER_CLASSES[0]
        finder.when_imported(module, self._found)

    def _found(self, module: ModuleType) -> None:
        self._class = getattr(module, self._name)

    def frozen(self, layer: Any, variables: Sequence[Any], where: dict[str, Any] | None) -> None:
        """The program freezes a layer with these variables."""
        if not variables or where is None or len(self._layers) >= MAX_LAYERS or self._class is None:
            return
        if any(known.layer() is layer for known in self._layers):
            return
        self._layers.append(_Frozen(layer, variables, where, self._digests))
        if self._watched is None and self._calls < MAX_CALLS:
            self._own = self._class.__call__
            self._watched = followed(
                self._own, lambda args, kwargs, result: self.guard.run("layer", self._called, args)
            )
            self.guard.hooks.put(self._class, "__call__", self._watched)

    def thawed(self, layer: Any, variables: Sequence[Any], where: dict[str, Any] | None) -> None:
        """The program makes a layer trainable."""
        self._layers = [known for known in self._layers if known.layer() is not layer]
        if where is not None and len(self._thawed) < MAX_LAYERS:
            self._thawed.append((self.steps(), _Frozen(layer, variables, where, self._digests)))

    def _called(self, args: tuple[Any, ...]) -> None:
        self._calls += 1
        one = id(args[0])
        for known in self._layers:
            if one in known.parts:
                known.used = True
        done = self._calls >= MAX_CALLS or all(known.used for known in self._layers)
        if done and vars(self._class).get("__call__") is self._watched:
            self._class.__call__, self._watched = self._own, None

    def used(self, model: Any) -> None:
        """A call of Keras uses all layers of a model."""
        waiting = [known for known in self._layers if not known.used]
        if waiting:
            weights = {id(v) for v in model.weights}
            for known in waiting:
                known.used = not weights.isdisjoint(known.variables)

    def trained(self, variables: Sequence[Any]) -> None:
        """An optimizer is given these."""
        for v in variables if len(self._trained) < MAX_TRAINED else ():
            self._trained[id(v)] = (name_of(v), tuple(v.shape))

    def at_exit(self) -> None:
        """The process ends."""
        digests = Digests(MAX_BYTES)
        for known in self._layers:
            others = {t for i, t in self._trained.items() if i not in known.variables}
            if known.used or known.moved(digests) or not known.specs or not known.specs <= others:
                continue
            self._write("frozen", known)
        for steps, known in self._thawed:
            if self.steps() >= steps + LEAST and known.variables.isdisjoint(self._trained) and known.still(digests):
                self._write("thawed", known)

    def _write(self, what: str, known: _Frozen) -> None:
        names = sorted(name for name, _ in known.specs)[:40]
        self.guard.sink.write(schema.LEFT_OUT, what=what, layer=known.name, variables=names, where=known.where)


class _Frozen:
    """A layer that was frozen, with the layers within it; a clone has variables of the same names and shapes."""

    def __init__(self, layer: Any, variables: Sequence[Any], where: dict[str, Any], digests: Digests) -> None:
        self.layer, self.name, self.where, self.used = weakref.ref(layer), str(layer.name), where, False
        inner = getattr(layer, "_flatten_layers", None)
        self.parts = {id(layer), *(id(part) for part in (inner() if inner is not None else ()))}
        self.variables = {id(v) for v in variables}
        self.specs = {(name_of(v), tuple(v.shape)) for v in variables if len(v.shape) > 1}
        self._digests = [(weakref.ref(v), d) for v in variables if (d := digests.of(v)) is not None]

    def still(self, digests: Digests) -> bool:
        """Whether all of its variables are there, trainable, and as they were."""
        alive = [(v, d) for r, d in self._digests if (v := r()) is not None]
        trained = [getattr(v, "trainable", False) for v, _ in alive]
        return any(trained) and all(digests.of(v) == d for v, d in alive)

    def moved(self, digests: Digests) -> bool:
        """Whether the program has assigned its variables since."""
        alive = [(v, d) for r, d in self._digests if (v := r()) is not None]
        return any((now := digests.of(v)) is not None and now != d for v, d in alive)
