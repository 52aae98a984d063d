"""Shapes at named places: wrappers around functions and methods that note the tensors going in and coming out.

Only Python-level facts are taken (static shape, name, graph, name scope); no op is added to a graph and nothing is
evaluated. The run-time shapes come later, from the capsule, in a worker.
"""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from .. import compat, profile, schema
from . import user_places
from .frames import Probe, hidden, hide, stand_in, user_frames
from .guard import Guard
from .importhook import PostImportFinder
from .outside import lookup
from .tracing import TraceRecorder

# An eager loop calls a place without end; after so many calls only new shapes are news.
_EAGER_CALLS = 200


class PlaceRecorder:
    """Writes `place` events (and `place-found`, `place-missing`)."""

    def __init__(self, guard: Guard, finder: PostImportFinder, tracing: TraceRecorder) -> None:
        self.guard = guard
        self.sink = guard.sink
        self.tracing = tracing
        self._calls: Counter[str] = Counter()
        self._eager_seen: set[tuple[Any, ...]] = set()
        self._told: set[tuple[str, str]] = set()
        by_module: dict[str, list[profile.Place]] = {}
        for place in user_places.merged(profile.PTYCHO_PLACES, user_places.read(self.sink.run_dir)):
            by_module.setdefault(place.module, []).append(place)
        for module, places in by_module.items():
            finder.when_imported(module, lambda m, ps=places: self._wrap_all(m, ps))  # type: ignore[misc]
        for knob in profile.KNOBS:
            module, _, name = knob.name.partition(":")
            finder.when_imported(module, lambda m, n=name, k=knob.name: self._wrap_knob(m, n, k))  # type: ignore[misc]

    # -- putting the wrappers in ----------------------------------------------------------------------------------

    def watch(self, function: Any, contract: str, axes: dict[str, str]) -> Any:
        """`function` as a place of its own name: what the decorator gives back."""
        inner = getattr(function, "__func__", None) or _python_function(function) or function
        name = f"{getattr(inner, '__module__', None)}:{getattr(inner, '__qualname__', repr(inner))}"
        place = profile.Place(name, str(contract), tuple((n, str(w)) for n, w in axes.items()), "decorator")
        watched = self._watched(function, place)
        if watched is None:
            self._missing(place, f"a {type(function).__name__} cannot be watched")
            return function
        self._found(place, function)
        return watched

    def _wrap_all(self, module: ModuleType, places: list[profile.Place]) -> None:
        for place in places:
            found = _resolve(module, place.qualname)
            if found is None:
                self._missing(place, "no such name in the module")
                continue
            holder, name, original = found
            watched = self._watched(original, place)
            if watched is None:
                self._missing(place, f"a {type(original).__name__} cannot be watched")
                continue
            if watched is not original:
                self.guard.hooks.put(holder, name, watched)
            self._found(place, original)

    def _found(self, place: profile.Place, original: Any) -> None:
        if (place.name, place.contract) in self._told:  # a decorated inner function is made anew again and again
            return
        self._told.add((place.name, place.contract))
        code = getattr(inspect.unwrap(_python_function(original) or original), "__code__", None)
        self.sink.write(
            schema.PLACE_FOUND,
            place=place.name,
            contract=place.contract,
            file=getattr(code, "co_filename", None),
            line=getattr(code, "co_firstlineno", None),
            axes=[name for name, _ in place.axes],
            origin=place.origin,
        )

    def _missing(self, place: profile.Place, reason: str) -> None:
        self.sink.write(schema.PLACE_MISSING, place=place.name, reason=reason, origin=place.origin)

    def _watched(self, original: Any, place: profile.Place) -> Any:
        """What stands in the place of `original` from now on, or None where it cannot be watched."""
        inner = _python_function(original)
        if inner is not None:  # a tf.function object stays what it is: only the Python body is replaced
            wrapper = self._wrapper(inner, place)
            if place.origin == "decorator":  # made anew again and again: a list of them would keep them all
                original._python_function = wrapper
            else:
                self.guard.hooks.put(original, "_python_function", wrapper)
            return original
        if isinstance(original, (staticmethod, classmethod)):
            return type(original)(self._wrapper(original.__func__, place))
        # A decorator may have made any callable of it (`tf.custom_gradient` gives a `Bind`); a class is left alone.
        if isinstance(original, type) or not callable(original):
            return None
        return self._wrapper(original, place)

    def _wrapper(self, function: Callable[..., Any], place: profile.Place) -> Callable[..., Any]:
        wrapper = stand_in(_PlaceProbe(self, function, place))
        compat.mark_for_autograph(wrapper)
        return wrapper

    def _wrap_knob(self, module: ModuleType, name: str, knob: str) -> None:
        original = getattr(module, name, None)
        if not inspect.isfunction(original):  # a cached one is left alone: it decides once, and has methods of its own
            return
        wrapper = stand_in(_KnobProbe(self, original, knob))
        compat.mark_for_autograph(wrapper)
        self.guard.hooks.put(module, name, wrapper)

    # -- taking notes -----------------------------------------------------------------------------------------------

    def _enter(
        self,
        place: profile.Place,
        signature: inspect.Signature,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> dict[str, Any] | None:
        if "tensorflow" not in sys.modules:
            return None
        self._calls[place.name] += 1
        call = self._calls[place.name]
        tensors = list(_tensors_of_call(signature, args, kwargs, self.tracing))
        graph = compat.default_graph()
        if graph is None and call > _EAGER_CALLS:
            mark = (place.name, str([t["shape"] for t in tensors]))
            if mark in self._eager_seen:
                return None
            self._eager_seen.add(mark)
        frames = user_frames(skip=4, limit=6)
        common = {
            "call": call,
            "axes": [a for a in (lookup(n, where) for n, where in place.axes) if a is not None],
            "caller": frames[0] if frames else None,
            "frames": frames,
        }
        self._write(place, "in", graph, tensors, common)
        return common

    def _leave(self, place: profile.Place, common: dict[str, Any], result: Any) -> None:
        self._write(place, "out", compat.default_graph(), list(_leaves("result", result, self.tracing)), common)

    def _write(
        self,
        place: profile.Place,
        phase: str,
        graph: Any,
        tensors: list[dict[str, Any]],
        common: dict[str, Any],
    ) -> None:
        scope = position = None
        if graph is not None:
            scope, position = graph.get_name_scope(), compat.graph_position(graph)
        self.sink.write(
            schema.PLACE,
            place=place.name,
            contract=place.contract,
            phase=phase,
            graph=self.tracing.uid(graph) if graph is not None else None,
            at=position,
            scope=scope,
            tensors=tensors,
            **common,
        )


class _PlaceProbe(Probe):
    """Notes the tensors that go into a function and come out of it."""

    def __init__(self, recorder: PlaceRecorder, function: Callable[..., Any], place: profile.Place) -> None:
        super().__init__(function)
        self.recorder, self.place = recorder, place
        self.signature = inspect.signature(function)
        self.plain = inspect.isfunction(function)

    @hidden
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        function, recorder, guard = self.function, self.recorder, self.recorder.guard
        token = guard.run("place in", recorder._enter, self.place, self.signature, args, kwargs)
        call = guard.run("autograph", compat.convert_for_autograph, function) if token and self.plain else None
        try:
            result = (call or function)(*args, **kwargs)
        except BaseException as error:
            hide(error)
            raise
        if token is not None:
            guard.run("place out", recorder._leave, self.place, token, result)
        return result


class _KnobProbe(Probe):
    """Notes what a function decided, once a line that asked."""

    def __init__(self, recorder: PlaceRecorder, function: Callable[..., Any], knob: str) -> None:
        super().__init__(function)
        self.recorder, self.knob = recorder, knob
        self.seen: set[tuple[Any, ...]] = set()

    @hidden
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        try:
            result = self.function(*args, **kwargs)
        except BaseException as error:
            hide(error)
            raise
        self.recorder.guard.run("knob", self.note, result)
        return result

    def note(self, value: Any) -> None:
        """Write the decision."""
        frames = user_frames(skip=4, limit=2)
        where = frames[0] if frames else None
        mark = (repr(value), where and where["file"], where and where["line"])
        if mark not in self.seen:
            self.seen.add(mark)
            write = self.recorder.sink.write
            write(schema.SETTING, store="decision", key=self.knob, action="read", value=value, where=where)


def _resolve(module: ModuleType, qualname: str) -> tuple[Any, str, Any] | None:
    """(holder, name, value) of a dotted name inside a module; a method must be defined by the class itself."""
    holder: Any = module
    *path, name = qualname.split(".")
    for part in path:
        holder = getattr(holder, part, None)
        if holder is None:
            return None
    value = holder.__dict__.get(name) if isinstance(holder, type) else getattr(holder, name, None)
    return (holder, name, value) if value is not None else None


def _python_function(value: Any) -> Callable[..., Any] | None:
    """The Python body of a `tf.function` object, or None if it is none."""
    if inspect.isfunction(value) or not hasattr(value, "get_concrete_function"):
        return None
    inner = getattr(value, "_python_function", None)
    return inner if callable(inner) else None


def _tensors_of_call(
    signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any], tracing: TraceRecorder
) -> Iterator[dict[str, Any]]:
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError:  # the call itself is wrong; Python will say so in a moment
        arguments = dict(enumerate(args)) | kwargs  # type: ignore[assignment]
    for name, value in arguments.items():
        if name != "self":
            yield from _leaves(str(name), value, tracing)


def _leaves(name: str, value: Any, tracing: TraceRecorder, depth: int = 0) -> Iterator[dict[str, Any]]:
    if isinstance(value, (list, tuple)) and depth < 3:
        for i, item in enumerate(value):
            yield from _leaves(f"{name}[{i}]", item, tracing, depth + 1)
        return
    if isinstance(value, dict) and depth < 3:
        for key, item in value.items():
            yield from _leaves(f"{name}[{key}]", item, tracing, depth + 1)
        return
    info = compat.tensor_info(value)
    if info is not None:
        yield {
            "arg": name,
            "kind": info.kind,
            "tensor": info.name,
            "shape": info.shape,
            "dtype": info.dtype,
            "graph": tracing.uid(value.graph) if info.kind == "symbolic" else None,
        }
