"""Random numbers that the program draws eagerly from a seed, and the seeds that it sets.

Compiled, XLA draws other numbers from the same seed. That matters only to a program which draws from one seed both in a
compiled function and outside of one: so the first draws outside are noted by their key, of which nothing is kept.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from .. import compat, compat_graph, schema
from .frames import followed, user_frames
from .guard import Guard
from .importhook import PostImportFinder

MAX_DRAWS = 64
MAX_SEEDS = 64


class DrawRecorder:
    """Writes `draw` and `seed` events; after so many of them nothing of ours is left in TensorFlow."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self.sink = guard.sink
        self._seen: set[Any] = set()
        self._draws = 0
        self._seeds = 0
        finder.when_imported("tensorflow", self._hook)

    def _hook(self, _: ModuleType) -> None:
        for hook in (self._hook_draws, self._hook_seeds):
            # Each on its own: a name that moved must cost one recorder, not all of them.
            self.guard.part(hook.__name__, hook)

    def _hook_draws(self) -> None:
        module = compat_graph.stateless_draws_module()
        originals = {name: getattr(module, name) for name in compat_graph.STATELESS_DRAWS if hasattr(module, name)}
        for name, original in originals.items():
            self.guard.hooks.put(module, name, self._watched(name, original, module, originals))

    def _watched(
        self, name: str, original: Callable[..., Any], module: ModuleType, originals: dict[str, Callable[..., Any]]
    ) -> Callable[..., Any]:
        def drawn(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            if sys.modules["tensorflow"].executing_eagerly():
                self.guard.run("draw", self._drawn, name, kwargs, result)
                if self._draws >= MAX_DRAWS:
                    for each, function in originals.items():
                        setattr(module, each, function)

        return followed(original, drawn)

    def _drawn(self, name: str, given: dict[str, Any], result: Any) -> None:
        self._draws += 1
        key = [int(n) for n in given["key"].numpy()]
        counter = [int(n) for n in given["counter"].numpy()]
        what = (name, *key, *counter)
        if what in self._seen:
            return
        self._seen.add(what)
        frames = user_frames(skip=4, limit=1)
        self.sink.write(
            schema.DRAW,
            op=name,
            key=[str(n) for n in key],
            counter=[str(n) for n in counter],
            shape=compat.dims(result.shape),
            where=frames[0] if frames else None,
        )

    def _hook_seeds(self) -> None:
        cls: Any = compat.context_class()

        def seeded(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
            self.guard.run("seed", self._seeded, kwargs["seed"] if "seed" in kwargs else args[1])

        self.guard.hooks.put(cls, "_set_global_seed", followed(cls._set_global_seed, seeded))

    def _seeded(self, seed: Any) -> None:
        self._seeds += 1
        if self._seeds <= MAX_SEEDS and isinstance(seed, int):
            frames = user_frames(skip=4, limit=1)
            self.sink.write(schema.SEED, seed=str(seed), where=frames[0] if frames else None)
