"""A whole step lowered for a device that the machine may not have: what has no kernel there, and what is dynamic.

It shows the registration of kernels and the conversion of TensorFlow's ops to HLO (tf2xla). It shows nothing of what
comes after: the device's own passes, its libraries, its assembler. TensorFlow names one op without a kernel at a time;
each is cut out, its results taken from the plain run, and the rest is lowered again. Within a branch or a loop, whose
values nobody can give to a compiled step, something of the same type and shape takes its place.
"""

from __future__ import annotations

import dataclasses
import re
import time
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol.requests import LowerFor
from .compiled import PLATFORMS, lower
from .entered import entered
from .errors import GraphRoomError, Unsupported
from .evaluate import Activation
from .ir import Graph, body_names
from .load import load, without_values
from .machine import RunFailed
from .optionals import unwrap
from .outcome import results_of, traced_otherwise
from .safety import unsafe_ops
from .standin import without
from .step import Step, new_frames, prepare
from .transform import cut_name, truncate

_MOST = 64
_MESSAGE = 4000
_NO_NUMBER = (7, 20, 21)  # string, resource, variant
_UNSUPPORTED = re.compile(
    r"(?<!\w)(\w+) \(No registered '(\w+)' OpKernel for ([\w:]+)[^{]{0,2000}\{\{node ([^{}]+)\}\}"
)
_DYNAMIC = re.compile(r"\[(?:\d+,)*<=\d+")


def lowered_for(request: LowerFor) -> dict[str, Any]:
    """A capsule lowered for a platform:

    {"refused": why | null, "ok", "seconds", "tries", "unsupported": [{"op", "node", "device", "sources",
    "call_sources"}], "more": whether others may follow that were not reached, "error": {"kind", "message"} | null (a
    refusal that is no missing kernel), "dynamic": number of instructions of a dynamic shape, "note"}.

    HLO text is written to the file, if the step as a whole can be lowered.
    """
    refused = unavailable(request.platform)
    if refused is not None:
        return {"refused": refused}
    start = time.perf_counter()
    program = load(Path(request.capsule))
    if not request.values:
        program = without_values(program)
    step = prepare(program, batch=request.batch, foreign=request.foreign)
    told = _Cutting(step, request.platform).run(request.text)
    never = [{"op": op, "node": node, "device": None} for op, node in unsafe_ops(program).items()]
    if never:
        told["unsupported"] = [*never, *told["unsupported"]]
        told["ok"] = False
    return {"refused": None, **told, "seconds": round(time.perf_counter() - start, 3)}


def unavailable(platform: str) -> str | None:
    """Why this TensorFlow cannot lower for a platform at all; None where it can."""
    import tensorflow as tf

    if platform not in PLATFORMS:
        return f"platform {platform!r}; known are {', '.join(PLATFORMS)}"

    @tf.function(jit_compile=True, autograph=False)  # type: ignore[untyped-decorator]
    def nothing(x: Any) -> Any:
        return x + 1.0

    try:
        nothing.experimental_get_compiler_ir(tf.ones([1]))(stage="hlo", platform_name=PLATFORMS[platform])
    except Exception as error:
        first = str(error).strip().split("\n")[0][:300]
        return f"this TensorFlow ({tf.__version__}) cannot lower for {platform}: {first}"
    return None


class _Cutting:
    def __init__(self, step: Step, platform: str) -> None:
        self._step = step
        self._platform = platform
        self._graph: Graph = step.pure.graph
        self._frames = new_frames()
        self._cut: dict[str, np.ndarray[Any, Any]] = {}
        self._inside: dict[str, Activation] = {}
        self._done: set[tuple[str | None, str]] = set()

    def run(self, text: Any) -> dict[str, Any]:
        """Lower, cut what has no kernel, lower again."""
        found: list[dict[str, Any]] = []
        error = None
        hlo = ""
        more = False
        tries = 0
        for _ in range(_MOST):
            tries += 1
            try:
                hlo = self._lower()
                break
            except GraphRoomError as refused:
                error = {"kind": type(refused).__name__, "message": str(refused)[:_MESSAGE]}
                break
            except Exception as failed:
                named = _UNSUPPORTED.findall(str(failed))
                new = [spot for _, op, device, node in named for spot in self._spots(op, device, node)]
                new = [spot for spot in new if spot.key not in self._done]
                if not new:
                    error = {"kind": type(failed).__name__, "message": str(failed)[:_MESSAGE]}
                    break
                found += [self._told(spot) for spot in new]
                self._done |= {spot.key for spot in new}
                stuck = [spot for spot in new if not self._without(spot)]
                if stuck:
                    more = True
                    break
        else:
            more = True
        self._frames.machine.close()
        whole = not found and error is None
        if whole and text is not None:
            Path(str(text)).parent.mkdir(parents=True, exist_ok=True)
            Path(str(text)).write_text(hlo, encoding="utf-8")
        return {
            "ok": whole,
            "tries": tries,
            "unsupported": found,
            "more": more or bool(found and error),
            "error": error,
            "dynamic": sum(1 for line in hlo.splitlines() if _DYNAMIC.search(line)),
            "note": traced_otherwise(self._step),
        }

    def _lower(self) -> str:
        outputs = [t for t in results_of(self._step).values() if t not in self._cut]
        part = truncate(self._graph, outputs, cut=list(self._cut))
        values = {**self._step.arguments, **{cut_name(t): v for t, v in self._cut.items()}}
        return lower(unwrap(part), values, platform=self._platform, stage="hlo")

    def _spots(self, op: str, device: str, node: str) -> list[_Spot]:
        """Where the op of a message stands: on top, else in the bodies in which an op ends with its name."""
        if node in self._graph.nodes:
            return [_Spot(op, device, node)]
        found = [
            _Spot(op, device, name, frame, way)
            for frame, way in _ways(self._graph).items()
            for name, inner in self._graph.bodies[frame].nodes.items()
            if inner.op == op and f"/{node}".endswith(f"/{name}")
        ]
        longest = max((len(spot.node) for spot in found), default=0)
        return [spot for spot in found if len(spot.node) == longest] or [_Spot(op, device, node)]

    def _without(self, spot: _Spot) -> bool:
        """Go on without an op; False where that cannot be done."""
        if spot.frame is not None:
            return self._without_inner(spot.frame, spot.node)
        return spot.node in self._graph.nodes and self._without_outer(spot.node)

    def _without_inner(self, frame: str, node: str) -> bool:
        if frame not in self._inside:
            self._inside.update(entered(self._step.activation(self._frames), [frame]))
        if frame not in self._inside:
            return False  # the values that it would get cannot be had
        body = without(self._graph.bodies[frame], node, self._inside[frame])
        if body is None:
            return False
        bodies = {**self._graph.bodies, frame: body}
        for name, inner in bodies.items():
            bodies[name] = inner.replace(bodies=bodies)
        self._graph = self._graph.replace(bodies=bodies)
        return True

    def _without_outer(self, node: str) -> bool:
        """Take the results of a node from the plain run."""
        activation = self._step.activation(self._frames)
        todo, done = [node], set()
        while todo:
            name = todo.pop()
            done.add(name)
            outputs = activation.loaded.outputs(name)
            try:
                activation.fetch(outputs)
            except (RunFailed, Unsupported):
                return False
            if any(t not in activation.values for t in outputs):
                return False
            given = {t: np.asarray(activation.values[t]) for t in outputs if self._graph.dtype(t) not in _NO_NUMBER}
            self._cut.update(given)
            # What is no number cannot be given to a compiled step: what is made of it is given instead.
            rest = {t for t in outputs if t not in given}
            todo += [n for n, user in self._graph.nodes.items() if n not in done and rest & set(user.inputs)]
        return True

    def _told(self, spot: _Spot) -> dict[str, Any]:
        program = self._step.program
        frame = self._graph if spot.frame is None else self._graph.bodies[spot.frame]
        origin = frame.origins.get(spot.node)
        told: dict[str, Any] = {"op": spot.op, "device": spot.device, "node": spot.node}
        if origin is None:
            where = program.find(spot.node)
            return {**told, "sources": where[0]["frames"] if where else [], "call_sources": []}
        calls = [*(c for _, at in spot.way for c in at), *frame.calls(origin.path)]
        return {
            **told,
            "node": "/".join((*(n for names, _ in spot.way for n in names), *origin.path, origin.node)),
            "sources": program.frames(origin.function, origin.node),
            "call_sources": [program.frames(function, inner) for function, inner in calls],
        }


_Way = tuple[tuple[tuple[str, ...], tuple[tuple[str, str], ...]], ...]
"""For each branch or loop around: the names on the way to it, and (function, node) of each."""


@dataclasses.dataclass(frozen=True)
class _Spot:
    """An op without a kernel: its flat name in a frame (None is the top)."""

    op: str
    device: str
    node: str
    frame: str | None = None
    way: _Way = ()

    @property
    def key(self) -> tuple[str | None, str]:
        return self.frame, self.node


def _ways(graph: Graph) -> dict[str, _Way]:
    """The bodies that a graph runs, each with one way to it."""
    found: dict[str, _Way] = {}
    todo: list[tuple[Graph, _Way]] = [(graph, ())]
    while todo:
        frame, way = todo.pop(0)
        for name, node in frame.nodes.items():
            for body in body_names(node):
                if body not in found:
                    origin = frame.origins[name]
                    calls = (*frame.calls(origin.path), (origin.function, origin.node))
                    found[body] = (*way, ((*origin.path, origin.node), calls))
                    todo.append((graph.bodies[body], found[body]))
    return found
