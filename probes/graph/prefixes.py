"""What a worker answers about the first k ops of a step: how many there are, whether they compile, what op k is."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from . import compiled
from .errors import GraphRoomError, Unsupported
from .ir import Graph, body_names, split
from .load import Array
from .optionals import unwrap
from .prefix import Spot, frame_of, outline, prefix
from .step import Step

_MESSAGE = 4000
_SMALL = 64
_WRAPPED = re.compile(r"Failed getting HLO text: '(.*)'", re.DOTALL)
STAGES = ("hlo", "optimized_hlo")
"""How far it is compiled: to HLO (what TensorFlow itself refuses shows there), or all the way (what XLA refuses)."""


class Prefixes:
    """The ops of a step whose calls were kept, numbered from 1 in program order."""

    def __init__(self, step: Step) -> None:
        self.step = step
        self._spots = outline(step.pure.graph)
        self.count = len(self._spots)
        self._library = {str(f.signature.name): f for f in step.program.graph.library.function}

    def outline(self, listed: bool = False) -> dict[str, Any]:
        """{"ops": how many, "xla": the whole step asked for it, "asks": it or a function in it did} and, if they are to
        be listed, {"list": [[path, node, op], ...]}.
        """
        program = self.step.program
        asks = program.xla or any(
            _must_compile(f) or any(map(_must_compile, f.node_def)) for f in self._library.values()
        )
        said: dict[str, Any] = {"ops": len(self._spots), "xla": program.xla, "asks": asks}
        if listed:
            said["list"] = [[*self._named(s), self._node(s).op] for s in self._spots]
        return said

    def compile(self, number: int, stage: str, save: Path | None = None) -> dict[str, Any]:
        """{"outcome": "passed", "failed" or "unsupported", "error", "seconds", "compilations"} of the first ops.

        The text of what was compiled goes into the file `save`.
        "unsupported": XLA was not asked, as this part of the graph cannot be put before it; nothing is known of it.
        """
        if stage not in STAGES:
            raise Unsupported(f"stage {stage!r}; known are {', '.join(STAGES)}")
        spot = self.spot(number)
        return attempted(lambda: unwrap(prefix(self.step.pure.graph, spot)), lambda _: self.step.arguments, stage, save)

    def describe(self, number: int) -> dict[str, Any]:
        """Op k, as `failing.failing_op` describes one, with "nesting" and "xla" (a call around it asked for XLA).

        `inputs` are [{"tensor", "node", "op", "dtype", "shape", "value"}]; shapes and values of constants and arguments
        only: the others are not known without running or compiling it.
        """
        import tensorflow as tf

        spot = self.spot(number)
        frame, node = frame_of(self.step.pure.graph, spot), self._node(spot)
        origin = frame.origins[spot.node]
        path = self._way(spot)
        program = self.step.program
        return {
            "node": "/".join((*(name for _, name in path), origin.node)),
            "path": [name for _, name in path],
            "nesting": len(spot.way),
            "xla": self._asked_for(path),
            "function": origin.function,
            "inner_node": origin.node,
            "op": node.op,
            "inputs": [_input(frame, t, {} if spot.way else self.step.arguments, tf) for t in node.inputs],
            "sources": program.frames(origin.function, origin.node),
            "call_sources": [program.frames(function, name) for function, name in path],
        }

    def spot(self, number: int) -> Spot:
        """Where op k stands."""
        if not 1 <= number <= len(self._spots):
            raise Unsupported(f"there are ops 1 to {len(self._spots)}, not {number}")
        return self._spots[number - 1]

    def _asked_for(self, path: list[tuple[str, str]]) -> bool:
        """Whether the step, or one of the calls on the way, asked for XLA."""
        top = {str(n.name): n for n in self.step.program.graph.node}
        for function, name in path:
            inside = self._library[function].node_def if function in self._library else top.values()
            node = next((n for n in inside if n.name == name), None)
            if node is None:
                continue
            called = self._library.get(node.attr["f"].func.name) if "f" in node.attr else None
            if _must_compile(node) or (called is not None and _must_compile(called)):
                return True
        return self.step.program.xla

    def _node(self, spot: Spot) -> Any:
        return frame_of(self.step.pure.graph, spot).nodes[spot.node]

    def _named(self, spot: Spot) -> tuple[list[str], str]:
        return [name for name, _ in spot.way], spot.node

    def _way(self, spot: Spot) -> list[tuple[str, str]]:
        """(function in which it stands, its name there) of each node around a spot."""
        graph = self.step.pure.graph
        found = []
        for name, number in spot.way:
            origin = graph.origins[name]
            found.append((origin.function, origin.node))
            graph = graph.bodies[list(body_names(graph.nodes[name]))[number]]
        return found


def _input(frame: Graph, tensor: str, arguments: Mapping[str, Any], tf: Any) -> dict[str, Any]:
    name, index = split(tensor)
    origin, node = frame.origins.get(name), frame.nodes[name]
    known = arguments[tensor] if tensor in arguments else _constant(node, tf)
    return {
        "tensor": tensor,
        "node": origin.node if origin else name,
        "output": index,
        "op": node.op,
        "dtype": tf.dtypes.as_dtype(frame.dtype(tensor)).name,
        "shape": None if known is None else list(known.shape),
        "value": known.tolist() if known is not None and known.dtype.kind in "iub" and known.size <= _SMALL else None,
    }


def _constant(node: Any, tf: Any) -> Any:
    return tf.make_ndarray(node.definition.attr["value"].tensor) if node.op == "Const" else None


def _must_compile(definition: Any) -> bool:
    """Whether a node or a function has asked for XLA."""
    return "_XlaMustCompile" in definition.attr and bool(definition.attr["_XlaMustCompile"].b)


def attempted(
    part: Callable[[], Graph], arguments: Callable[[Graph], Mapping[str, Array]], stage: str, save: Path | None
) -> dict[str, Any]:
    """{"outcome": "passed", "failed" or "unsupported", "error", "seconds", "compilations"} of what `part` makes.

    Where `part` itself cannot be made, or not be put before XLA, it is "unsupported": XLA was not asked. The text of
    what was compiled goes into the file `save`.
    """
    start = time.perf_counter()
    found: dict[str, Any] = {"outcome": "passed", "error": None, "compilations": 0}
    try:
        graph = part()
        found["compilations"] = 1
        text = compiled.lower(graph, arguments(graph), stage=stage)
        if save is not None:
            save.write_text(text)
    except GraphRoomError as error:
        found.update(outcome="unsupported", error=told(error), compilations=0)
    except Exception as error:
        if not is_tensorflows(error):
            raise
        found.update(outcome="failed", error=told(error))
    return {**found, "seconds": round(time.perf_counter() - start, 6)}


def is_tensorflows(error: Exception) -> bool:
    """Whether TensorFlow refused, and not we failed."""
    # `get_compiler_ir` says it all with a ValueError of its own, import_graph_def too.
    return type(error).__module__.startswith("tensorflow") or isinstance(error, ValueError)


def told(error: Exception) -> dict[str, str]:
    """The error as it is; of TensorFlow's own in the wrapping of `get_compiler_ir` the inner text."""
    wrapped = _WRAPPED.fullmatch(str(error))
    message = wrapped[1] if wrapped else str(error)
    return {"kind": type(error).__name__, "message": message[:_MESSAGE]}


def prefixes_of(step: Step, kept: dict[int, Prefixes]) -> Prefixes:
    """The outline of a step; `kept` holds that of the last one."""
    if id(step) not in kept or kept[id(step)].step is not step:
        kept.clear()
        kept[id(step)] = Prefixes(step)
    return kept[id(step)]
