"""Gradients of the program's own, and gradients of several numbers a row: which tensors of a graph they are.

A worker computes them again by small differences, after the run. Here only names are noted, while a graph is traced: of
a function with `tf.custom_gradient` its arguments, its results, and what its gradient was given and gave; of
`GradientTape.gradient` what is derived, by what, and the result.
"""

from __future__ import annotations

import dis
import inspect
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from .. import compat, compat_gradients, schema
from .frames import hide, is_user_file, wraps
from .graph_trail import frames_here, frames_of
from .guard import Guard
from .importhook import PostImportFinder

MAX_EVENTS = 60
MAX_CALLS = 2
"""Of one function in one graph."""
_GENERATED = "__autograph_generated_file"


class OwnGradientRecorder:
    """Writes `own-gradient` events."""

    def __init__(self, guard: Guard, finder: PostImportFinder, uid: Callable[[Any], str]) -> None:
        self.guard = guard
        self._uid = uid
        self._written: dict[tuple[Any, ...], int] = {}
        finder.when_imported("tensorflow", self._hook)

    def _hook(self, _: ModuleType) -> None:
        module, name = compat_gradients.custom_gradient_maker()
        original = getattr(module, name)

        def made(function: Any, args: Any, kwargs: Any) -> Any:
            __tracebackhide__ = True
            watched = self.guard.run("own gradient", self._watched, function)
            try:
                return original(watched or function, args, kwargs)
            except BaseException as error:
                hide(error)
                raise

        self.guard.hooks.put(module, name, wraps(original)(made))

    def _watched(self, function: Any) -> Any:
        """The function with a gradient of its own, whose calls are noted; None where it is a library's."""
        code = getattr(inspect.unwrap(function), "__code__", None)
        if code is None or not (is_user_file(code.co_filename) or _GENERATED in code.co_filename):
            return None

        def forward(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                result = function(*args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            return self.guard.run("own gradient", self._with_gradient, function, args, result) or result

        return wraps(function)(forward)

    def _with_gradient(self, function: Any, args: Sequence[Any], result: Any) -> Any:
        """What the function returned, with a gradient whose calls are noted."""
        if not isinstance(result, tuple) or len(result) != 2 or not callable(result[1]):
            return None
        value, gradient = result

        def backward(*upstream: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            try:
                given = gradient(*upstream, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            inputs = given[0] if kwargs.get("variables") and isinstance(given, tuple) and len(given) == 2 else given
            self.guard.run("own gradient", self._called, (function, gradient), args, value, upstream, inputs)
            return given

        return value, wraps(gradient)(backward)

    def _called(self, functions: tuple[Any, Any], args: Any, value: Any, upstream: Any, inputs: Any) -> None:
        flatten = sys.modules["tensorflow"].nest.flatten
        graph = compat.default_graph()
        names = [[_name(t, graph) for t in flatten(list_of(v))] for v in (args, value, upstream, inputs)]
        made = next((t for t in flatten(list_of(inputs)) if _name(t, graph)), None)
        if graph is None or made is None or not any(names[2]):
            return
        arguments, results, given, gradients = names
        if len(arguments) != len(gradients) or len(results) != len(given):
            return
        where = _line(functions[1], made)
        self._write(graph, where, what="custom", function=getattr(functions[0], "__name__", None),
                    arguments=arguments, results=results, upstream=given, gradients=gradients)  # fmt: skip

    def taken(self, args: Sequence[Any], kwargs: dict[str, Any], result: Any) -> None:
        """`GradientTape.gradient` was asked for that of several numbers a row, by one tensor that is no variable."""
        graph = compat.default_graph()
        if graph is None or kwargs.get("output_gradients", args[3] if len(args) > 3 else None) is not None:
            return
        target = kwargs["target"] if "target" in kwargs else args[1]
        source = kwargs["sources"] if "sources" in kwargs else args[2]
        lone = [v[0] if isinstance(v, (list, tuple)) and len(v) == 1 else v for v in (target, source, result)]
        dims = compat.dims(getattr(lone[0], "shape", None)) if hasattr(lone[0], "op") else None
        if not dims or len(dims) < 2 or dims[-1] in (None, 1):
            return
        names = [_name(lone[0], graph), _captured(lone[1], graph), _name(lone[2], graph)]
        frames = frames_here(4) if None not in names else []
        if frames:
            self._write(graph, frames[0], what="taken", function=frames[0]["function"], arguments=names[1:2],
                        results=names[:1], upstream=[], gradients=names[2:])  # fmt: skip

    def _write(self, graph: Any, where: dict[str, Any] | None, **told: Any) -> None:
        uid = self._uid(graph)
        key = (uid, str(where))
        self._written[key] = self._written.get(key, 0) + 1
        if self._written[key] <= MAX_CALLS and sum(self._written.values()) <= MAX_EVENTS:
            self.guard.sink.write(schema.OWN_GRADIENT, graph=uid, where=where, **told)


def list_of(values: Any) -> list[Any]:
    """What a function was given, or gave, as a list."""
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _name(tensor: Any, graph: Any) -> str | None:
    """The name of a tensor of floats in this graph."""
    if graph is None or getattr(tensor, "graph", None) is not graph or not hasattr(tensor, "op"):
        return None
    return str(tensor.name) if tensor.dtype.is_floating else None


def _captured(tensor: Any, graph: Any) -> str | None:
    """The same, of a tensor that the graph may have captured from outside."""
    inner = next((i for o, i in getattr(graph, "captures", ()) if o is tensor), tensor)
    return _name(inner, graph)


def _line(gradient: Any, made: Any) -> dict[str, Any] | None:
    """The line of a gradient function at which its result was made, or its first one."""
    code = getattr(inspect.unwrap(gradient), "__code__", None)
    frames = frames_of(made.op)
    if code is None or not is_user_file(code.co_filename):
        return frames[0] if frames else None
    first = code.co_firstlineno
    last = max([n for _, n in dis.findlinestarts(code) if n] + [first])
    inside = [f for f in frames if f["file"] == code.co_filename and first <= f["line"] <= last]
    return inside[0] if inside else {"file": code.co_filename, "line": first, "function": code.co_name}
