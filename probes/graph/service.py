"""What a worker can be asked. TensorFlow is imported with the first question that needs it and then kept
warm.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..schema import WORKER_SCHEMA
from .errors import GraphRoomError

if TYPE_CHECKING:
    from .evaluate import Frames
    from .step import Step

GOODBYE = "goodbye"
_KEPT = 2

Request = Mapping[str, Any]


class BadRequest(GraphRoomError):
    """The question cannot be understood."""


class Service:
    """Keeps the last capsules prepared, so that a second question about one is answered quickly."""

    def __init__(self) -> None:
        self._steps: dict[tuple[str, int | None], tuple[Step, Frames]] = {}
        self._answers: dict[str, Callable[[Request], Any]] = {
            "hello": self.hello,
            "load": self.load,
            "shapes": self.shapes,
            "failing_op": self.failing_op,
            "goodbye": lambda _: GOODBYE,
        }

    def answer(self, line: str) -> dict[str, Any]:
        """The answer to one line. Never raises: every error is an answer."""
        number = None
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise BadRequest("a request is a JSON object")
            number = request.get("id")
            handler = self._answers.get(str(request.get("op")))
            if handler is None:
                raise BadRequest(f"unknown op {request.get('op')!r}; known are {', '.join(sorted(self._answers))}")
            return {"id": number, "ok": True, "result": handler(request)}
        except Exception as error:
            if not isinstance(error, GraphRoomError):
                traceback.print_exc()
            return {
                "id": number,
                "ok": False,
                "error": {"type": type(error).__name__, "message": str(error)[:4000]},
            }

    def hello(self, request: Request) -> dict[str, Any]:
        """{"tensorflow": true} imports it and tells its version."""
        version = None
        if request.get("tensorflow"):
            version = str(_tensorflow().__version__)
        return {
            "schema": WORKER_SCHEMA,
            "pid": os.getpid(),
            "python": platform.python_version(),
            "executable": sys.executable,
            "tensorflow": version,
        }

    def load(self, request: Request) -> dict[str, Any]:
        """What a capsule holds."""
        step, _ = self._step(request)
        program = step.program
        return {
            "name": program.name,
            "python_name": program.python_name,
            "xla": program.xla,
            "versions": dict(program.versions),
            "recipe": dict(program.recipe),
            "nodes": len(step.pure.graph.nodes),
            "filled": list(step.filled),
            "unsupported": dict(step.pure.unsupported),
        }

    def shapes(self, request: Request) -> dict[str, Any]:
        """`shapes.runtime_shapes` of {"capsule", "wanted"}."""
        from .shapes import runtime_shapes

        step, frames = self._step(request)
        return runtime_shapes(step, _field(request, "wanted"), frames)

    def failing_op(self, request: Request) -> dict[str, Any] | None:
        """`failing.failing_op` of {"capsule"}."""
        from .failing import failing_op

        step, frames = self._step(request)
        return failing_op(step, frames)

    def _step(self, request: Request) -> tuple[Step, Frames]:
        """The capsule of a request, prepared; the last few are kept."""
        _tensorflow()
        from .load import load
        from .step import new_frames, prepare

        batch = request.get("batch")
        key = (str(Path(_field(request, "capsule")).resolve()), batch)
        if key not in self._steps:
            step = prepare(load(Path(key[0])), batch=batch)
            while len(self._steps) >= _KEPT:
                _, old = self._steps.pop(next(iter(self._steps)))
                old.machine.close()
            self._steps[key] = (step, new_frames())
        return self._steps[key]


def _field(request: Request, name: str) -> Any:
    if name not in request:
        raise BadRequest(f"{request.get('op')} needs {name!r}")
    return request[name]


def _tensorflow() -> Any:
    """TensorFlow, on the processor only: capsules are evaluated by value, and a GPU of the host may be in
    use.
    """
    first = "tensorflow" not in sys.modules
    import tensorflow as tf

    if first:
        tf.config.set_visible_devices([], "GPU")
    return tf
