"""Layers that are frozen and that nothing uses afterwards, while their clones are trained; layers that are made
trainable after the list of what is trained was made; and models that weights are loaded into and that nothing uses
afterwards, while another one of the same shapes begins without these weights; and weights that were written before the
training, and loaded into the model that is used.

The calls of layers are looked at from the first line that freezes or loads one, until each of these was called, or for
so many calls; then Keras has its own function again.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .digests import Digests, Tokens, name_of
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_LAYERS = 20
MAX_CALLS = 3000
MAX_BYTES = 8 << 20
MAX_TRAINED = 4000
MAX_FRAMES = 8
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
        self._tokens = Tokens()
        self._trained: dict[int, tuple[str, Shape]] = {}
        self._digests = Digests(MAX_BYTES)
        self._calls = 0
        self._loaded: list[_Frozen] = []
        self._saved: dict[str, _Frozen] = {}
        self._early: list[tuple[_Frozen, _Frozen]] = []
        self.loaded_variables: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
        self._models: weakref.WeakSet[Any] = weakref.WeakSet()
        self._class: Any = None
        self._own: Any = None
        self._watched: Any = None
        module, self._name = compat.KERAS_LAYER_CLASSES[0]
        finder.when_imported(module, self._found)
        for module, name in compat_gradients.KERAS_LOADERS:
            finder.when_imported(module, lambda m, n=name: self._hook_loads(getattr(m, n)))  # type: ignore[misc]

    def _hook_loads(self, cls: Any) -> None:
        def loaded(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("weights loaded", self.loaded, args[0], _path(args, kwargs))

        def saved(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("weights saved", self.saved, args[0], _path(args, kwargs))

        self.guard.hooks.put(cls, "load_weights", followed(cls.load_weights, loaded))
        self.guard.hooks.put(cls, "save_weights", followed(cls.save_weights, saved))

    def _found(self, module: ModuleType) -> None:
        self._class = getattr(module, self._name)

    def frozen(self, layer: Any, variables: Sequence[Any], where: dict[str, Any] | None) -> None:
        """The program freezes a layer with these variables."""
        if not variables or where is None or len(self._layers) >= MAX_LAYERS or self._class is None:
            return
        if any(known.layer() is layer for known in self._layers):
            return
        self._layers.append(self._frozen(layer, variables, where))
        self._watch()

    def saved(self, model: Any, path: str) -> None:
        """The program writes the weights of a model: is it before any training?"""
        frames = user_frames(skip=5, limit=1)
        self._saved.pop(path, None)
        if frames and len(self._saved) < MAX_LAYERS and self._tokens_of(model.weights).isdisjoint(self._trained):
            self._saved[path] = self._frozen(model, model.weights, frames[0])

    def _is_early(self, known: _Frozen) -> bool:
        """Whether a model was trained after its weights were written, and is not used for anything else."""
        since = {self._trained[i] for i in known.variables if i in self._trained and len(self._trained[i][1]) > 1}
        return bool(since) and since <= known.specs and known.calls <= 1

    def loaded(self, model: Any, path: str = "") -> None:
        """The program loads weights into a model."""
        frames = user_frames(skip=5, limit=MAX_FRAMES)
        early = self._saved.get(path)
        if early is not None and early.layer() is not model and self._is_early(early):
            self._early.append((early, self._frozen(model, model.weights, early.where)))
            early.used = False
            self._watch()
        self.loaded_variables.update((id(v), v) for v in model.weights)
        self._loaded = [known for known in self._loaded if known.layer() is not model]
        if model in self._models:  # it has done its work, and gets its best weights back
            return
        if frames and len(self._loaded) < MAX_LAYERS and self._class is not None:
            known = self._frozen(model, model.weights, frames[0])
            known.frames = frames
            self._loaded.append(known)
            self._watch()

    def _watch(self) -> None:
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
            self._thawed.append((self.steps(), self._frozen(layer, variables, where)))

    def _called(self, args: tuple[Any, ...]) -> None:
        self._calls += 1
        one = self._tokens.of(args[0])
        waiting = (*self._layers, *self._loaded, *(early for early, _ in self._early))
        for known in waiting:
            if one in known.parts:
                known.used = True
        done = self._calls >= MAX_CALLS or all(known.used for known in waiting)
        if done and vars(self._class).get("__call__") is self._watched:
            self._class.__call__, self._watched = self._own, None

    def used(self, model: Any) -> None:
        """A call of Keras uses all layers of a model."""
        self._models.add(model)
        for known in self._saved.values():
            known.calls += known.layer() is model
        waiting = [known for known in (*self._layers, *self._loaded) if not known.used]
        if waiting:
            weights = self._tokens_of(model.weights)
            for known in waiting:
                known.used = not weights.isdisjoint(known.variables)
            if not any(known.layer() is model for known in self._loaded):
                for known in waiting:
                    self._in_place_of(known, model)

    def _in_place_of(self, known: _Frozen, model: Any) -> None:
        """A model of the same shapes is used; does it have the values that were loaded?"""
        if known.used or not known.frames or known.instead is not None or not model.weights:
            return
        if known.shapes != [tuple(v.shape) for v in model.weights]:
            return
        digests = Digests(MAX_BYTES)
        has = {d for v in model.weights if len(v.shape) > 1 and (d := digests.of(v)) is not None}
        known.used = bool(has & known.values())  # they were copied
        if has and not known.used:
            around = {(f["file"], f["function"]) for f in user_frames(skip=6, limit=MAX_FRAMES)}
            # The line in the function that both come from: the load may be in a helper.
            common = next((f for f in known.frames if (f["file"], f["function"]) in around), known.where)
            known.where, known.instead = common, str(model.name)

    def trained(self, variables: Sequence[Any]) -> None:
        """An optimizer is given these."""
        for v in variables if len(self._trained) < MAX_TRAINED else ():
            token = self._tokens.of(v)
            if token not in self._trained:
                self._trained[token] = (name_of(v), tuple(v.shape))

    def _tokens_of(self, things: Iterable[Any]) -> set[int]:
        return set(map(self._tokens.of, things))

    def _frozen(self, layer: Any, variables: Sequence[Any], where: dict[str, Any]) -> _Frozen:
        inner = getattr(layer, "_flatten_layers", None)
        parts = self._tokens_of((layer, *(inner() if inner is not None else ())))
        return _Frozen(layer, variables, where, self._digests, parts, self._tokens_of(variables))

    def at_exit(self) -> None:
        """The process ends."""
        digests = Digests(MAX_BYTES)
        for known in self._layers:
            others = {t for i, t in self._trained.items() if i not in known.variables}
            if known.used or known.moved(digests) or not known.specs or not known.specs <= others:
                continue
            self._write("frozen", known)
        for known in self._loaded if self._calls < MAX_CALLS else ():
            if known.instead is not None and not known.used and not known.moved(digests):
                self._write("loaded", known, instead=known.instead)
        for early, known in self._early[:MAX_LAYERS]:
            if (
                not early.used
                and self._is_early(early)
                and known.variables.isdisjoint(self._trained)
                and not known.moved(digests)
            ):
                self._write("saved-early", early, instead=known.name)
        for steps, known in self._thawed:
            if self.steps() >= steps + LEAST and known.variables.isdisjoint(self._trained) and known.still(digests):
                self._write("thawed", known)

    def _write(self, what: str, known: _Frozen, **more: Any) -> None:
        names = sorted(name for name, _ in known.specs)[:40]
        self.guard.sink.write(schema.LEFT_OUT, what=what, layer=known.name, variables=names, where=known.where, **more)


class _Frozen:
    """A layer that was frozen, with the layers within it; a clone has variables of the same names and shapes."""

    def __init__(
        self,
        layer: Any,
        variables: Sequence[Any],
        where: dict[str, Any],
        digests: Digests,
        parts: set[int],
        tokens: set[int],
    ) -> None:
        self.layer, self.name, self.where, self.used = weakref.ref(layer), str(layer.name), where, False
        self.parts, self.variables = parts, tokens
        self.specs = {(name_of(v), tuple(v.shape)) for v in variables if len(v.shape) > 1}
        self.shapes = [tuple(v.shape) for v in variables]
        self.calls = 0
        """How often Keras used it since its weights were written."""
        self.frames: list[dict[str, Any]] = []
        """Of a model that weights were loaded into: the lines that came to that, innermost first."""
        self.instead: str | None = None
        """The first model of the same shapes that was used after that, and has none of these values."""
        self._digests = [(weakref.ref(v), d) for v in variables if (d := digests.of(v)) is not None]

    def values(self) -> set[str]:
        """The digests of the variables then."""
        return {d for _, d in self._digests}

    def still(self, digests: Digests) -> bool:
        """Whether all of its variables are there, trainable, and as they were."""
        alive = [(v, d) for r, d in self._digests if (v := r()) is not None]
        trained = [getattr(v, "trainable", False) for v, _ in alive]
        return any(trained) and all(digests.of(v) == d for v, d in alive)

    def moved(self, digests: Digests) -> bool:
        """Whether the program has assigned its variables since."""
        alive = [(v, d) for r, d in self._digests if (v := r()) is not None]
        return any((now := digests.of(v)) is not None and now != d for v, d in alive)


def _path(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The file that `load_weights` or `save_weights` was given."""
    return str(args[1] if len(args) > 1 else kwargs.get("filepath"))
