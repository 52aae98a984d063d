"""The op that TensorFlow refused to make, of a callable that fails while a graph is being made.

There is no finished graph then, and the op is not in any. What it would have been stands in the frame of the function
that makes ops, which TensorFlow cuts out of tracebacks unless it is told not to.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from .. import compat_graph
from ..protocol.requests import FindRefusedOp, WriteTraceScript
from . import traced
from .callables import BuildFailed, build

_MESSAGE = 4000
_FRAMES = 40
_OWN = str(Path(__file__).resolve().parent.parent)


def halted(request: FindRefusedOp) -> dict[str, Any] | None:
    """{"op", "node", "inputs", "where": frames, outermost first, "kind", "message", "ops"} of a callable; None where it
    does not fail so. "ops" is how many were made in that graph before.
    """
    found = caught(request)
    if found is None:
        return None
    error, frame, (node, tensors, graph) = found
    return {
        "op": str(node.op),
        "node": str(node.name),
        "inputs": [_input(t) for t in tensors],
        "where": _where(error, frame),
        "kind": type(error).__name__,
        "message": str(error)[:_MESSAGE],
        "ops": len(graph.get_operations()),
    }


Making = tuple[Any, list[Any], Any]
"""NodeDef, input tensors, graph."""


def caught(request: FindRefusedOp | WriteTraceScript) -> tuple[BaseException, FrameType, Making] | None:
    """(error, the frame in which the op is made, the op) of a callable that fails while a graph is being made of it."""
    try:
        with _whole_tracebacks():
            built = build(request)
            if built.function is not None:
                traced.concrete(built.function, traced.as_tensors(built.arguments), request.way)
    except BuildFailed as failed:
        return _making(failed.error)
    except Exception as error:
        if type(error).__module__.startswith(__package__ or " "):
            raise
        return _making(error)
    return None


def _making(error: BaseException) -> tuple[BaseException, FrameType, Making] | None:
    for one in _chain(error):
        for frame, _ in reversed(list(traceback.walk_tb(one.__traceback__))):
            making = compat_graph.op_in_the_making(frame)
            if making is not None:
                return one, frame, making
    return None


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those that it was raised from or after: AutoGraph raises one of its own."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen:
        seen.append(current)
        yield current
        current = current.__cause__ or current.__context__


def _where(error: BaseException, making: FrameType) -> list[list[Any]]:
    """Frames down to where the op is made; for what AutoGraph has converted, the user's own lines."""
    frames = []
    converted = list(getattr(getattr(error, "ag_error_metadata", None), "translated_stack", ()))
    for frame, line in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if not code.co_filename.startswith(_OWN):
            frames.append([code.co_filename, line, code.co_name])
        if frame is making:
            break
    own = [[f.filename, f.lineno, f.function_name] for f in reversed(converted)]
    return [*frames, *own][-_FRAMES:]


def _input(tensor: Any) -> dict[str, Any]:
    dims = tensor.shape.as_list() if tensor.shape.rank is not None else None
    return {
        "tensor": str(tensor.name),
        "node": str(tensor.op.name),
        "output": int(tensor.value_index),
        "op": str(tensor.op.type),
        "dtype": str(tensor.dtype.name),
        "shape": None if dims is None else ["?" if n is None else n for n in dims],
        "value": None,
    }


@contextlib.contextmanager
def _whole_tracebacks() -> Iterator[None]:
    """TensorFlow and Keras leave their own frames in tracebacks."""
    import tensorflow as tf

    keras = importlib.import_module("keras.config") if "keras" in sys.modules else None
    told: list[Any] = [tf.debugging]
    if hasattr(keras, "disable_traceback_filtering"):
        told.append(keras)
    on = [one for one in told if one.is_traceback_filtering_enabled()]
    for one in on:
        one.disable_traceback_filtering()
    try:
        yield
    finally:
        for one in on:
            one.enable_traceback_filtering()
