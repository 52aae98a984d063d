"""Every Keras layer that is called: where it was made and called, with which shapes, how many parameters it has.

Only for `trace` (`XLADOCTOR_CAPTURE` is "all"): a compiled step calls its layers while it is traced, but a model that
runs eagerly calls them at every step.
"""

from __future__ import annotations

import itertools
import sys
import threading
import weakref
from types import ModuleType
from typing import Any

from .. import compat, schema
from .frames import frame_dict, hide, is_user_file, user_frames, wraps
from .guard import Guard
from .importhook import PostImportFinder
from .values import leaves

MAX_LAYERS = 2000
MAX_SHAPES = 12
"""How many combinations of shapes are noted of one layer."""


class LayerRecorder:
    """Writes a `layer` event for each combination of shapes that a layer is called with."""

    def __init__(self, guard: Guard, finder: PostImportFinder) -> None:
        self.guard = guard
        self._numbers = itertools.count(1)
        self._known: weakref.WeakKeyDictionary[Any, _Known] = weakref.WeakKeyDictionary()
        self._local = threading.local()
        for module, cls in compat.KERAS_LAYER_CLASSES:
            finder.when_imported(module, lambda m, c=cls: guard.part("_hook_layers", self._watch, m, c))  # type: ignore[misc]

    def _watch(self, module: ModuleType, name: str) -> None:
        cls = getattr(module, name)
        init, call = cls.__init__, cls.__call__
        guard, local = self.guard, self._local

        def __init__(layer: Any, *args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            try:
                init(layer, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            guard.run("layer made", self._made, layer)

        def __call__(layer: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            stack = local.__dict__.setdefault("stack", [])
            stack.append(layer)
            try:
                result = call(layer, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            finally:
                stack.pop()
            guard.run("layer called", self._called, layer, args, kwargs, result, stack)
            return result

        guard.hooks.put(cls, "__init__", wraps(init)(__init__))
        guard.hooks.put(cls, "__call__", wraps(call)(__call__))

    def _made(self, layer: Any) -> None:
        if layer not in self._known:
            self._known[layer] = _Known(next(self._numbers), _outside(layer))

    def _called(self, layer: Any, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, stack: list[Any]) -> None:
        known = self._known.get(layer)
        if known is None or known.number > MAX_LAYERS:
            return
        given, gave = _shapes((args, kwargs)), _shapes(result)
        key = repr((given, id(stack[-1]) if stack else None))
        if key in known.seen or len(known.seen) >= MAX_SHAPES:
            return
        known.seen.add(key)
        above = self._known.get(stack[-1]) if stack else None
        frames = user_frames(skip=4, limit=1)
        self.guard.sink.write(
            schema.LAYER,
            layer=known.number,
            parent=above.number if above is not None else None,
            name=str(getattr(layer, "name", "")),
            cls=type(layer).__name__,
            model=hasattr(layer, "fit"),
            made=known.made,
            called=frames[0] if frames else None,
            inputs=given,
            outputs=gave,
            parameters=_parameters(getattr(layer, "weights", ())),
            trainable=_parameters(getattr(layer, "trainable_weights", ())),
        )


class _Known:
    """A layer: its number in this process, the line that made it, and the shapes that it was called with."""

    def __init__(self, number: int, made: dict[str, Any] | None) -> None:
        self.number = number
        self.made = made
        self.seen: set[str] = set()


def _outside(layer: Any) -> dict[str, Any] | None:
    """The innermost line of the user's that is not in `__init__` of the layer itself, which calls its base class."""
    frame: Any = sys._getframe(4)
    for _ in range(60):
        if frame is None:
            return None
        code = frame.f_code
        own = code.co_argcount > 0 and code.co_name == "__init__" and frame.f_locals.get(code.co_varnames[0]) is layer
        if not own and is_user_file(code.co_filename):
            return frame_dict(frame)
        frame = frame.f_back
    return None


def _shapes(value: Any) -> list[list[int | None] | None]:
    nest: Any = value
    if isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], dict):
        nest = [*value[0], *(v for k, v in value[1].items() if k not in ("mask", "training"))]
    found = [compat.tensor_info(v) for v in itertools.islice(leaves(nest), 12)]
    return [info.shape for info in found if info is not None]


def _parameters(weights: Any) -> int:
    total = 0
    for weight in weights:
        size = 1
        for n in compat.dims(getattr(weight, "shape", ())) or ():
            size *= n or 1
        total += size
    return total
