"""What is told of the op that made the first NaN: its line, its layer, and of which op it computes the gradient."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import Any

from .. import compat, compat_graph
from .frames import is_user_file
from .nan_origin import Bad, Source

_FRAMES = 12


@dataclass(eq=False)
class Node:
    """An op of a graph that is looked at: where Python made it, in which layer, and of what it is the gradient.

    Attributes:
        forward: (op type, its outputs or the op itself, its inputs) of the op whose gradient this op belongs to.
        data: whether it is in a function of a `tf.data` pipeline.
        runs: how often it was executed.
        start: the largest magnitude that it gave at its first execution.
        bad: what it gave, while that is not finite.
    """

    op: Any
    frames: list[dict[str, Any]]
    layer: dict[str, Any] | None
    forward: tuple[str, list[Any], list[Any]] | None
    data: bool = False
    runs: int = 0
    start: float | None = None
    bad: Bad | None = None


class Facts:
    """Looks up what is known of ops. `nodes` are those of graphs, by graph and name."""

    def __init__(self) -> None:
        self.nodes: dict[tuple[int, str], Node] = {}
        self.lines: dict[int, tuple[weakref.ref[Any], list[dict[str, Any]]]] = {}
        """Of eager tensors: where they were made."""

    def of(self, found: Bad | Source) -> dict[str, Any]:
        """The op, its values, its frames (innermost first) and its layer; or what the value came with."""
        if isinstance(found, Source):
            return self._source(found)
        node: Node | None = found.facts.get("node")
        facts = {k: v for k, v in found.facts.items() if k in ("value", "index", "shape", "dtype", "inputs")}
        frames, layer = found.facts.get("frames", []), found.facts.get("layer")
        forward = self._forward_of(found)
        if node is not None:
            frames, layer = self._frames(node.op, node.frames), node.layer
            facts |= {"node": node.op.name, "graph": getattr(node.op.graph, "name", None), "start": node.start}
            facts["loop"] = compat.is_loop_body(node.op.graph)
        facts |= {"op": found.op_type, "made": found.kind, "run": found.run, "frames": frames, "layer": layer}
        if forward is not None:
            facts["gradient_of"] = self._forward_facts(*forward)
        return facts

    def _forward_of(self, found: Bad | Source) -> tuple[str, Any] | None:
        """(op type, op of a graph or eager tensor) of which an op computes the gradient."""
        node = found.facts.get("node") if isinstance(found, Bad) else None
        forward = node.forward if node is not None else found.facts.get("forward") if isinstance(found, Bad) else None
        if forward is None:
            return None
        op_type, outputs, inputs = forward
        for tensor in outputs:
            if hasattr(tensor, "node_def") or not symbolic(tensor):
                return op_type, tensor
            op = _behind(tensor.op)
            if op.type == op_type:
                return op_type, op
        for tensor in inputs:
            for op in tensor.consumers() if symbolic(tensor) else ():
                if op.type == op_type:
                    return op_type, op
        return op_type, None

    def _forward_facts(self, op_type: str, made: Any) -> dict[str, Any]:
        if hasattr(made, "node_def"):
            node = self.nodes.get((id(made.graph), made.name))
            live, layer = (node.frames, node.layer) if node is not None else ([], None)
            return {"op": op_type, "node": made.name, "frames": self._frames(made, live), "layer": layer}
        known = self.lines.get(id(made))
        frames = known[1] if known is not None and known[0]() is made else []
        return {"op": op_type, "node": None, "frames": frames, "layer": None}

    def before(self, found: Bad | Source) -> Bad | Source:
        """The op of the forward pass that made one as well, where its gradient was found first."""
        forward = self._forward_of(found)
        op: Any = forward[1] if forward is not None else None
        node = self.nodes.get((id(op.graph), op.name)) if hasattr(op, "node_def") else None
        return node.bad if node is not None and node.bad is not None and node.bad.makes else found

    @staticmethod
    def _frames(op: Any, live: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The user's frames, innermost first: of AutoGraph's copies TensorFlow's own stack knows the lines."""
        found = [
            {"file": f.filename, "line": f.lineno, "function": f.name}
            for f in compat_graph.user_frames(op)
            if is_user_file(f.filename)
        ]
        return found[::-1][:_FRAMES] or live

    def _source(self, source: Source) -> dict[str, Any]:
        tensor = source.tensor
        op = getattr(tensor, "op", None) if symbolic(tensor) else None
        return {
            "source": source.kind,
            "op": op.type if op is not None else None,
            "node": op.name if op is not None else None,
            "name": compat_graph.source_name(op) if op is not None else None,
            "frames": self._frames(op, []) if op is not None else [],
            "layer": None,
        }


def symbolic(tensor: Any) -> bool:
    """Whether it is a tensor of a graph."""
    return hasattr(tensor, "graph") and not hasattr(tensor, "numpy")


def layer_of(frame: Any) -> dict[str, Any] | None:
    """The innermost Keras layer that is being called."""
    for _ in range(200):
        if frame is None:
            return None
        code = frame.f_code
        if code.co_name == "__call__" and code.co_filename.endswith(("layers/layer.py", "engine/base_layer.py")):
            layer = frame.f_locals.get("self")
            return {"name": str(getattr(layer, "name", "")), "class": type(layer).__name__}
        frame = frame.f_back
    return None


def _behind(op: Any) -> Any:
    """The op that an identity of ours stands for."""
    return op.inputs[0].op if op.type == "Identity" and op.control_inputs and op.inputs else op


def of_dataset(frame: Any) -> bool:
    """Whether a function of a `tf.data` pipeline is being traced."""
    for _ in range(200):
        if frame is None:
            return False
        if frame.f_code.co_filename.endswith("data/ops/structured_function.py"):
            return True
        frame = frame.f_back
    return False


def forward_of(frame: Any) -> tuple[str, list[Any], list[Any]] | None:
    """(op type, outputs or the op itself, inputs) of the op whose gradient is being computed or built."""
    for _ in range(200):
        if frame is None:
            return None
        code = frame.f_code
        if code.co_name == "_gradient_function" and code.co_filename.endswith("eager/backprop.py"):
            local = frame.f_locals
            groups = [[t for t in local.get(key) or () if t is not None] for key in ("outputs", "inputs")]
            return str(local.get("op_name")), groups[0], groups[1]
        if code.co_name == "_GradientsHelper" and "op" in frame.f_locals:
            op = frame.f_locals["op"]
            return str(op.type), [op], []
        frame = frame.f_back
    return None
