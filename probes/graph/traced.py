"""Calling a function eagerly, as a `tf.function` and under XLA; and one trace for many batch sizes.

A trace with open rows serves every size as long as the function itself is the same object each time. That the result is
the same as with a trace of its own is checked, at the first size that shares, and not assumed: a Python branch on
`x.shape[0]` sees None then.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
import traceback
import types
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .. import compat
from ..protocol.requests import Call
from .callables import BuildFailed, Built, build

Shape = list[int | None] | None
_MESSAGE = 4000
_FRAMES = 40
_JIT: weakref.WeakKeyDictionary[Any, bool] = weakref.WeakKeyDictionary()
"""Whether a `tf.function` asks for XLA, by its first trace."""
_OWN = str(Path(__file__).resolve().parent.parent)


class Callables:
    """The subjects of this process: keeps the last function with its traces."""

    def __init__(self) -> None:
        self._function: Any = None
        self._traces = _Traces(print)

    def call(self, request: Call) -> dict[str, Any]:
        """The outcome of a call: {"outcome", "outputs", "rows_out", "error", "stage", times, "shared", "note"}.

        `way` is graph, eager or xla; `own` gives the size a trace of its own. A second call
        gives `run_seconds`; the first one less that is `compile_seconds`.
        """
        try:
            built = build(request)
        except BuildFailed as failed:
            return _failed(failed.error, stage="build")
        if built.function is None:
            return {**_passed(built.result), "run_seconds": round(built.seconds, 6), "way": "its own"}
        way = request.way
        arguments = as_tensors(built.arguments)
        if way == "eager":
            return _twice(functools.partial(built.function, *arguments), way=way)
        return self._of(built).call(way, arguments, own=request.own)

    def _of(self, built: Built) -> _Traces:
        assert built.function is not None
        if not _same(self._function, built.function):
            self._function, self._traces = built.function, _Traces(built.function)
        return self._traces


class _Traces:
    """One function, traced with as few open dimensions as the sizes so far need."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._shared: dict[str, tuple[list[Any], Any]] = {}
        self._checked: set[str] = set()
        self._apart: str | None = None
        """Why sizes cannot share a trace, once that is known."""

    def call(self, way: str, arguments: tuple[Any, ...], own: bool = False) -> dict[str, Any]:
        if own or self._apart is not None:
            return {**self._alone(way, arguments), "shared": False, "note": self._apart}
        start = time.perf_counter()
        try:
            found, fresh = self._concrete(way, arguments)
        except Exception as error:
            if way not in self._shared:
                return {**_failed(error, stage="trace"), "way": way, "shared": False}
            # With open rows a trace may fail that succeeds with a shape of its own.
            alone = self._alone(way, arguments)
            if alone.get("stage") != "trace":
                self._apart = f"sizes do not share a trace: with open rows it fails ({type(error).__name__})"
            return {**alone, "shared": False, "note": self._apart}
        trace = time.perf_counter() - start if fresh else None
        told = _twice(lambda: found(*arguments), way=way, trace=trace, programs=programs(found, way))
        told["shared"] = not fresh
        if way in self._shared and _open(self._shared[way][0]) and way not in self._checked:
            self._checked.add(way)
            alone = self._alone(way, arguments)
            if not _agree(told, alone):
                self._apart = (
                    "sizes do not share a trace: with open rows the function does otherwise than with its own shape"
                )
                return {**alone, "shared": False, "note": self._apart}
        return told

    def _alone(self, way: str, arguments: tuple[Any, ...]) -> dict[str, Any]:
        start = time.perf_counter()
        try:
            found = concrete(self._function, arguments, way)
        except Exception as error:
            return {**_failed(error, stage="trace"), "way": way}
        trace = time.perf_counter() - start
        return _twice(lambda: found(*arguments), way=way, trace=trace, programs=programs(found, way))

    def _concrete(self, way: str, arguments: tuple[Any, ...]) -> tuple[Any, bool]:
        """(a trace that takes these arguments, whether it is new)."""
        flat = leaves(arguments)
        if way in self._shared:
            specs, found = self._shared[way]
            if len(specs) == len(flat) and all(s.is_compatible_with(t) for s, t in zip(specs, flat, strict=True)):
                return found, False
            wider = _wider(specs, flat)
            if wider is None:
                del self._shared[way]
        else:
            wider = None
        specs = wider or [_spec(t) for t in flat]
        found = concrete(self._function, _packed(arguments, specs), way)
        self._shared[way] = (specs, found)
        return found, True


def concrete(function: Callable[..., Any], arguments: tuple[Any, ...], way: str = "graph") -> Any:
    """The trace of a function for arguments (tensors or specs). One that is a `tf.function` is taken as it stands."""
    import tensorflow as tf

    if way == "graph" and hasattr(function, "get_concrete_function"):
        body = getattr(function, "python_function", None)
        if function not in _JIT or body is None or getattr(function, "input_signature", None) is not None:
            found = function.get_concrete_function(*arguments)
            _JIT[function] = bool(compat.must_compile(found))
            return found
        # It would hand out its trace with open rows, once it has one: a trace of these shapes needs another function.
        return tf.function(body, jit_compile=_JIT[function] or None).get_concrete_function(*arguments)

    def call(*given: Any, **options: Any) -> Any:
        return function(*given, **options)

    with contextlib.suppress(TypeError, ValueError):
        # The names of the user's parameters are those of the graph's inputs.
        call.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    call.__name__ = str(getattr(function, "__name__", "call"))
    return tf.function(call, jit_compile=True if way == "xla" else None).get_concrete_function(*arguments)


def opened(arguments: tuple[Any, ...], batch: int) -> tuple[Any, ...]:
    """The arguments with a spec in the place of each tensor: open rows where it has `batch` of them."""
    specs = []
    for tensor in leaves(arguments):
        spec = _spec(tensor)
        dims = spec.shape.as_list()
        specs.append(type(spec)([None if d == batch and i == 0 else d for i, d in enumerate(dims)], spec.dtype))
    return _packed(arguments, specs)


@functools.lru_cache(maxsize=16)
def programs(found: Any, way: str) -> int:
    """How many XLA programs a call of a trace compiles for a new shape: itself, or each function that asks for it."""
    if way == "xla" or compat.must_compile(found):
        return 1
    library = found.graph.as_graph_def().library.function
    return sum("_XlaMustCompile" in f.attr and f.attr["_XlaMustCompile"].b for f in library)


def as_tensors(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with every array as a tensor; numbers, strings and None stay, being part of the signature."""
    import numpy as np
    import tensorflow as tf

    def convert(leaf: Any) -> Any:
        return tf.convert_to_tensor(leaf) if isinstance(leaf, np.ndarray) else leaf

    return tuple(tf.nest.map_structure(convert, a) for a in arguments)


def leaves(arguments: Any) -> list[Any]:
    """The tensors of a nest, in the order of a signature."""
    import tensorflow as tf

    return [leaf for leaf in tf.nest.flatten(arguments) if tf.is_tensor(leaf)]


def _spec(tensor: Any) -> Any:
    import tensorflow as tf

    return tf.TensorSpec(tensor.shape, tensor.dtype)


def _wider(specs: Sequence[Any], flat: Sequence[Any]) -> list[Any] | None:
    """Specs that take both: dimensions that differ are open. None where ranks or types differ."""
    import tensorflow as tf

    if len(specs) != len(flat):
        return None
    found = []
    for spec, tensor in zip(specs, flat, strict=True):
        if spec.dtype != tensor.dtype or spec.shape.rank != tensor.shape.rank:
            return None
        dims = [a if a == b else None for a, b in zip(spec.shape.as_list(), tensor.shape.as_list(), strict=True)]
        found.append(tf.TensorSpec(dims, spec.dtype))
    return found


def _packed(arguments: tuple[Any, ...], specs: Sequence[Any]) -> tuple[Any, ...]:
    """The nest of the arguments with specs in the place of tensors."""
    import tensorflow as tf

    rest = iter(specs)
    return tuple(tf.nest.map_structure(lambda leaf: next(rest) if tf.is_tensor(leaf) else leaf, a) for a in arguments)


def _open(specs: Sequence[Any]) -> bool:
    return any(None in s.shape.as_list() for s in specs)


def _same(a: Any, b: Any) -> bool:
    """Whether two functions are one: the same object, the same method of it, the same partial of it."""
    if isinstance(a, types.MethodType) and isinstance(b, types.MethodType):
        return a.__func__ is b.__func__ and a.__self__ is b.__self__
    if isinstance(a, functools.partial) and isinstance(b, functools.partial):
        same = len(a.args) == len(b.args) and all(x is y for x, y in zip(a.args, b.args, strict=True))
        return same and _same(a.func, b.func) and a.keywords == b.keywords
    return a is b


def _agree(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """The same outcome, the same kind of error, the same shapes."""
    kinds = [(told.get("error") or {}).get("kind") for told in (a, b)]
    shapes = [[o["shape"] for o in told.get("outputs") or ()] for told in (a, b)]
    return a["outcome"] == b["outcome"] and kinds[0] == kinds[1] and shapes[0] == shapes[1]


def _twice(
    call: Callable[[], Any], *, way: str, trace: float | None = None, programs: int | None = None
) -> dict[str, Any]:
    """The outcome of the first call, and the time of a second one. `compilations` is None where it cannot be told."""
    start = time.perf_counter()
    try:
        told = _passed(call())
    except Exception as error:
        seconds = time.perf_counter() - start
        return {
            **_failed(error, stage="run"),
            "way": way,
            "seconds": round(seconds, 6),
            "trace_seconds": _rounded(trace),
            "compilations": programs,
        }
    first = time.perf_counter() - start
    start = time.perf_counter()
    try:
        call()
    except Exception as error:
        return {**_failed(error, stage="second call"), "way": way}
    second = time.perf_counter() - start
    return {
        **told,
        "way": way,
        "seconds": round(first, 6),
        "trace_seconds": _rounded(trace),
        "compile_seconds": round(max(0.0, first - second), 6),
        "run_seconds": round(second, 6),
        "compilations": programs,
    }


def _passed(result: Any) -> dict[str, Any]:
    import numpy as np
    import tensorflow as tf

    outputs = []
    for i, leaf in enumerate(tf.nest.flatten(result)):
        if leaf is None or not (hasattr(leaf, "shape") or np.isscalar(leaf)):
            continue
        if hasattr(leaf, "numpy"):
            leaf = leaf.numpy()  # waits for the result, and raises what it failed with
        array = np.asarray(leaf)
        outputs.append({"output": f"output {i}", "shape": list(array.shape), "dtype": str(array.dtype)})
    return {"outcome": "passed", "outputs": outputs, "error": None}


def _failed(error: Exception, stage: str) -> dict[str, Any]:
    return {
        "outcome": "failed",
        "outputs": [],
        "stage": stage,
        "where": [
            [f.filename, f.lineno, f.name]
            for f in traceback.extract_tb(error.__traceback__)
            if not f.filename.startswith(_OWN)
        ][-_FRAMES:],
        "error": {"kind": type(error).__name__, "message": str(error)[:_MESSAGE]},
    }


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 6)
