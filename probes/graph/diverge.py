"""The first op at which XLA computes something else than the same graph run plainly.

Values that differ are not enough: what rounds differently early may differ much later, and no op on the way is wrong.
So the values of all ops are taken from the compiled program, and each op whose results are not those of the plain run
is run again, plainly, *on the values that it had under XLA*. An op that then gives what XLA had is only a bearer. The
first one that does not is where the ways part. To be able to look, all these values are made results of the program,
which may change what XLA fuses.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import compiled
from .evaluate import Frames
from .ir import Graph, ancestors, split
from .machine import Handle, Loaded, RunFailed
from .measure import Array, Results, as_json, deviation
from .optionals import unwrap
from .sensitivity import Run, floor, tolerances
from .step import Step
from .transform import truncate

WINDOW = 400 * 2**20
"""Bytes of values that are compared at a time."""
_CHUNK = 200
_CHECKED = 400
_NO_VALUE = (7, 20, 21)  # string, resource, variant
_MESSAGE = 600


class Search:
    """Looks for the first node of a step at which plain mode and XLA part."""

    def __init__(self, step: Step, frames: Frames, seconds: float | None = None) -> None:
        self._step = step
        self._until = None if seconds is None else time.monotonic() + seconds
        self.ended_early = False
        """Whether it stopped at a bound, with ops left."""
        self._graph: Graph = step.pure.graph
        self._loaded: Loaded = frames.loaded(self._graph)
        self._arguments: dict[str, Array] = {t: np.asarray(v) for t, v in step.arguments.items()}
        self.compilations = 0
        self.checked = 0
        self.unchecked: list[str] = []
        """Nodes whose results differ but which could not be run alone, for want of a value of an input."""

    def first(self, tensors: Sequence[str]) -> dict[str, Any] | None:
        """{"node", "op", "function", "inner_node", "deviation", "tolerance", "shapes", "message", "sources"} of the
        first node that, on its inputs under XLA, gives something else than it gave under XLA; None if there is none.

        Raises TensorFlow's own error if the program does not compile with these results.
        """
        for window, plain in self._windows(tensors):
            if self._over():
                return None
            wanted = [*window, *self._given_to(window)]
            self.compilations += 1
            part = unwrap(truncate(self._graph, wanted))
            values = dict(zip(wanted, compiled.run_compiled(part, self._arguments), strict=True))
            for name in dict.fromkeys(split(t)[0] for t in window):
                outputs = [t for t in window if split(t)[0] == name]
                if all(_alike(plain[t], values[t], self._arguments) for t in outputs):
                    continue
                self._part(name, {t: (plain[t], values[t]) for t in outputs})
                found = self._alone(name, outputs, values)
                if found is not None:
                    return found
                if self._over():
                    return None
        return None

    def _over(self) -> bool:
        """Whether so many nodes were looked at, or so long, that the others are left out."""
        late = self._until is not None and time.monotonic() > self._until
        self.ended_early = self.ended_early or late or self.full
        return self.ended_early

    def _part(self, name: str, results: Mapping[str, tuple[Array, Array]]) -> None:
        """What is seen of a node whose results, plain and under XLA, differ; in program order."""

    def _given_to(self, window: Sequence[str]) -> list[str]:
        """What the nodes of a window get from outside of it."""
        inside = {split(t)[0] for t in window} | {i.name for i in self._graph.inputs}
        given = dict.fromkeys(t for n in inside for t in self._graph.nodes[n].inputs)
        return [
            t
            for t in given
            if split(t)[0] not in inside
            and self._graph.nodes[split(t)[0]].op != "Const"
            and self._graph.dtype(t) not in _NO_VALUE
        ]

    def _windows(self, tensors: Sequence[str]) -> Iterator[tuple[list[str], Results]]:
        """The tensors on the way to `tensors` with their plain values, in program order, so many at a time."""
        needed = ancestors(self._graph, tensors)
        inputs = {i.name for i in self._graph.inputs}
        order = [
            f"{name}:{i}"
            for name, node in self._graph.nodes.items()
            if name in needed and name not in inputs and node.op != "Const"
            for i in range(len(self._loaded.outputs(name)))
        ]
        order = [t for t in order if self._graph.dtype(t) not in _NO_VALUE]
        window: list[str] = []
        kept: Results = {}
        size = 0
        for start in range(0, len(order), _CHUNK):
            chunk = order[start : start + _CHUNK]
            found = self._loaded.run(chunk, self._arguments)
            for tensor in chunk:
                value = np.asarray(found[tensor])
                if window and size + value.nbytes > WINDOW:
                    yield window, kept
                    window, kept, size = [], {}, 0
                window.append(tensor)
                kept[tensor] = value
                size += value.nbytes
        if window:
            yield window, kept

    def known(self, name: str, values: Mapping[str, Array]) -> dict[str, Array]:
        """The inputs of a node that have a value."""
        given = {t: values.get(t, self._arguments.get(t)) for t in self._graph.nodes[name].inputs}
        return {t: v for t, v in given.items() if v is not None}

    @property
    def full(self) -> bool:
        """Whether so many nodes were looked at that others were left out."""
        return self.checked >= _CHECKED

    def _alone(self, name: str, outputs: Sequence[str], values: dict[str, Array]) -> dict[str, Any] | None:
        """What is told of a node if it parts here, else None."""
        known = self.known(name, values)
        if any(t not in known and self._graph.nodes[split(t)[0]].op != "Const" for t in self._graph.nodes[name].inputs):
            self.unchecked.append(name)
            return None
        self.checked += 1
        run = self._runs(outputs)
        told, plain = run(known)
        if told["outcome"] != "passed":
            return self._told(name, None, None, (None, list(values[outputs[0]].shape)), told["error"]["message"])
        allowed = self._allowed(run, known, plain)
        for tensor in outputs:
            a, b = plain[tensor], values[tensor]
            if a.shape != b.shape:
                values[tensor] = b = self._fetched_alone(tensor)
            if a.shape != b.shape:
                return self._told(name, None, None, (list(a.shape), list(b.shape)))
            exact = a.dtype.kind not in "fcV"
            far = deviation(a, b)
            if far > (0.0 if exact else allowed[tensor]):
                return self._told(name, as_json(far), 0.0 if exact else allowed[tensor], (list(a.shape), list(b.shape)))
        return None

    def _fetched_alone(self, tensor: str) -> Array:
        """What XLA gives for a tensor where no other is asked for: of several whose sizes depend on values it may give
        one without elements, or padded.
        """
        self.compilations += 1
        return compiled.run_compiled(unwrap(truncate(self._graph, [tensor])), self._arguments)[0]

    def _allowed(self, run: Run, known: Mapping[str, Array], plain: Results) -> dict[str, float]:
        return tolerances(run, known, plain)

    def _runs(self, outputs: Sequence[str]) -> Run:
        def run(given: Mapping[str, Array]) -> tuple[dict[str, Any], Results]:
            try:
                found = self._loaded.run(outputs, {**self._arguments, **given})
            except RunFailed as error:
                return {"outcome": "failed", "error": {"message": str(error.error)}}, {}
            return {"outcome": "passed"}, {t: np.asarray(v) for t, v in found.items() if not isinstance(v, Handle)}

        return run

    def _told(
        self, name: str, far: Any, tolerance: float | None, shapes: tuple[Any, Any], message: str | None = None
    ) -> dict[str, Any]:
        origin = self._graph.origins[name]
        program = self._step.program
        return {
            "node": "/".join((*origin.path, origin.node)),
            "op": self._graph.nodes[name].op,
            "function": origin.function,
            "inner_node": origin.node,
            "deviation": far,
            "tolerance": tolerance,
            "shapes": list(shapes),
            "message": None if message is None else message[:_MESSAGE],
            "sources": program.frames(origin.function, origin.node),
            "call_sources": [program.frames(function, node) for function, node in self._graph.calls(origin.path)],
        }


def _alike(a: Array, b: Array, arguments: Mapping[str, Array]) -> bool:
    return a.shape == b.shape and deviation(a, b) <= floor(a, arguments)
