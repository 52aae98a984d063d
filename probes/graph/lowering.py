"""A whole step lowered for a device that the machine may not have: what has no kernel there, and what is dynamic.

It shows the registration of kernels and the conversion of TensorFlow's ops to HLO (tf2xla). It shows nothing of what
comes after: the device's own passes, its libraries, its assembler. TensorFlow names one op without a kernel at a time;
each is cut out, its results taken from the plain run, and the rest is lowered again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from .compiled import PLATFORMS, lower
from .errors import GraphRoomError, Unsupported
from .ir import Graph
from .load import load
from .machine import RunFailed
from .optionals import unwrap
from .outcome import results_of, traced_otherwise
from .safety import unsafe_ops
from .step import Step, new_frames, prepare
from .transform import truncate

_MOST = 64
_MESSAGE = 4000
_NO_NUMBER = (7, 20, 21)  # string, resource, variant
_UNSUPPORTED = re.compile(r"(\w+) \(No registered '(\w+)' OpKernel for ([\w:]+)[^{]*\{\{node ([^}]+)\}\}")
_DYNAMIC = re.compile(r"\[(?:\d+,)*<=\d+")


def lowered_for(request: Mapping[str, Any]) -> dict[str, Any]:
    """The capsule of {"capsule", "batch", "foreign", "platform", "text": file}, lowered for the platform:

    {"refused": why | null, "ok", "seconds", "tries", "unsupported": [{"op", "node", "device", "sources",
    "call_sources"}], "more": whether others may follow that were not reached, "error": {"kind", "message"} | null (a
    refusal that is no missing kernel), "dynamic": number of instructions of a dynamic shape, "note"}.

    HLO text is written to the file, if the step as a whole can be lowered.
    """
    platform = str(request.get("platform", "gpu"))
    refused = unavailable(platform)
    if refused is not None:
        return {"refused": refused}
    start = time.perf_counter()
    program = load(Path(str(request["capsule"])))
    step = prepare(program, batch=request.get("batch"), foreign=bool(request.get("foreign")))
    told = _Cutting(step, platform).run(request.get("text"))
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
                new = [n for n in named if n[3] not in {f["flat"] for f in found}]
                if not new:
                    error = {"kind": type(failed).__name__, "message": str(failed)[:_MESSAGE]}
                    break
                found += [self._told(op, device, node) for _, op, device, node in new]
                if not all(self._without(node) for *_, node in new):
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
            "unsupported": [{k: v for k, v in f.items() if k != "flat"} for f in found],
            "more": more,
            "error": error,
            "dynamic": sum(1 for line in hlo.splitlines() if _DYNAMIC.search(line)),
            "note": traced_otherwise(self._step),
        }

    def _lower(self) -> str:
        outputs = [t for t in results_of(self._step).values() if t not in self._cut]
        part = truncate(self._graph, outputs, cut=list(self._cut))
        values = {**self._step.arguments, **{_name(t): v for t, v in self._cut.items()}}
        return lower(unwrap(part), values, platform=self._platform, stage="hlo")

    def _without(self, node: str) -> bool:
        """Take the results of a node from the plain run; False where that cannot be done."""
        if node not in self._graph.nodes:
            return False  # within a loop or a branch
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

    def _told(self, op: str, device: str, node: str) -> dict[str, Any]:
        origin = self._graph.origins.get(node)
        if origin is None:
            where = self._step.program.find(node)
            return {
                "flat": node, "op": op, "device": device, "node": node,
                "sources": where[0]["frames"] if where else [], "call_sources": [],
            }  # fmt: skip
        program = self._step.program
        return {
            "flat": node,
            "op": op,
            "device": device,
            "node": "/".join((*origin.path, origin.node)),
            "sources": program.frames(origin.function, origin.node),
            "call_sources": [program.frames(function, inner) for function, inner in self._graph.calls(origin.path)],
        }


def _name(tensor: str) -> str:
    """The input that `truncate` makes of a tensor that is cut."""
    node, _, index = tensor.rpartition(":")
    return f"{node}/__cut_{index}:0"
