"""What a worker answers on the way to a script: a failing op by itself, smaller and smaller, and the script of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol.requests import ReduceCore, WriteCoreScript, WriteRunScript, WriteTraceScript
from .entered import entered
from .errors import Unsupported
from .evaluate import Frames
from .failing import find
from .halted import caught
from .inline import placeholder, stripped
from .ir import Graph, Input, Node, split
from .machine import Handle
from .optionals import unwrap
from .prefix import inlined, prefix
from .prefixes import Prefixes, attempted
from .reduced import check, edited, frames, listed
from .script import script, traced_script
from .step import Step, prepare

Array = np.ndarray[Any, Any]
_SMALL = 64
_CUT = re.compile(r"(?:__cut_|__bare_)\d+\Z")
"""What `prefix` and `unwrap` add to the name of a body."""


class Core:
    """The op that fails under XLA, with all that it depends on, as a flat graph."""

    def __init__(self, prefixes: Prefixes, number: int, batch: int | None) -> None:
        self.step = prepare(prefixes.step.program, batch=batch, strict=True)
        self.number = number
        self._spot = inlined(prefixes.step.pure.graph, prefixes.spot(number))

    def graph(self, edits: Any, before: bool = False) -> Graph:
        """The graph after some edits; `before`: up to what the op is given."""
        return edited(self._whole(before), check(edits))

    def _whole(self, before: bool = False) -> Graph:
        return unwrap(prefix(self.step.pure.graph, self._spot, alone=True, before=before))

    def reduce(self, request: ReduceCore) -> dict[str, Any]:
        """{"outcome", "error", "seconds", "compilations", "nodes"} of the graph after some edits, compiled to a stage.

        `listed` adds what there is to edit, `names` the nodes that are left, `save` writes the HLO text, `before`
        leaves out the op itself.
        """
        more: dict[str, Any] = {}

        def part() -> Graph:
            graph = self.graph(request.edits, request.before)
            more["nodes"] = sum(len(f.nodes) for f in frames(graph).values())
            if request.listed:
                more["list"] = listed(self._whole(), self._spot)
            if request.names:
                more["names"] = [name for f in frames(graph).values() for name in f.nodes]
            return graph

        save = Path(request.save) if request.save else None
        return {**attempted(part, self.arguments, request.stage, save), **more}

    def script(self, request: WriteCoreScript) -> str:
        """The script of the graph after some edits."""
        graph = self.graph(request.edits)
        return script(graph, self.arguments(graph), title=request.title, jit=True, values=request.values)

    def values(self, tensors: Sequence[tuple[str, str]]) -> dict[str, Any]:
        """{"frame tensor": value}: small integers and flags of (frame, tensor), of a body as it is entered first."""
        frames_ = Frames(_machine())
        activation = self.step.activation(frames_)
        original = {frame: _uncut(frame) for frame, _ in tensors}
        inside = {"": activation, **entered(activation, [b for b in original.values() if b])}
        found = {}
        for frame in original:
            here = inside.get(original[frame])
            known = [t for f, t in tensors if f == frame and here is not None and split(t)[0] in here.graph.nodes]
            if here is None:
                continue
            here.compute(known)
            for tensor in known:
                value = here.values.get(tensor)
                if value is None or isinstance(value, Handle):
                    continue
                array = np.asarray(value)
                if array.dtype.kind in "iub" and array.size <= _SMALL:
                    found[f"{frame} {tensor}"] = array.tolist()
        frames_.machine.close()
        return found

    def arguments(self, graph: Graph) -> dict[str, Array]:
        """Values for all arguments, zeros for those that an edit made."""
        import tensorflow as tf

        found = dict(self.step.arguments)
        for item in graph.inputs:
            if f"{item.name}:0" not in found:
                kind = tf.dtypes.as_dtype(item.dtype).as_numpy_dtype
                found[f"{item.name}:0"] = np.zeros([n or 1 for n in item.shape or ()], kind)
        return found


def script_of_run(step: Step, frames_: Frames, request: WriteRunScript) -> str:
    """The op that fails when the step is run plainly, by itself on inputs like those that it had."""
    found = find(step, frames_)
    if found is None:
        raise Unsupported("nothing fails when it is run plainly")
    outer = found.activation.graph
    node = outer.nodes[found.culprit.node]
    inputs, arguments, nodes = [], {}, {}
    for tensor in dict.fromkeys(node.inputs):
        value = found.activation.values.get(tensor)
        if value is None or isinstance(value, Handle):
            raise Unsupported(f"input {tensor} of {node.op} has no value that could be written")
        item = Input(split(tensor)[0], outer.dtype(tensor), tuple(np.asarray(value).shape))
        if item.name not in nodes:
            inputs.append(item)
            nodes[item.name] = placeholder(item)
        arguments[f"{item.name}:0"] = np.asarray(value)
    renamed = {t: f"{split(t)[0]}:0" for t in node.inputs}
    if len(set(renamed.values())) < len(set(node.inputs)):
        raise Unsupported(f"{node.op} takes several results of one op")
    nodes[node.name] = type(node)(node.definition, tuple(renamed[t] for t in node.inputs))
    from .opdefs import outputs_of

    count = len([d for _, types in outputs_of(node.definition, outer.functions) for d in types])
    graph = outer.replace(
        nodes=nodes,
        inputs=tuple(inputs),
        outputs=tuple(f"{node.name}:{i}" for i in range(min(count, 1))),
        controls=() if count else (node.name,),
    )
    return script(graph, arguments, title=request.title, jit=False, values=request.values)


def script_of_trace(request: WriteTraceScript) -> str:
    """The op that TensorFlow refuses to make while it makes a graph of a callable, on inputs of the same shapes."""
    found = caught(request)
    if found is None:
        raise Unsupported("TensorFlow refused to make no op")
    _, _, (definition, tensors, _) = found
    inputs, nodes, given = [], {}, []
    for number, tensor in enumerate(tensors):
        name = f"x{number}"
        dims = None if tensor.shape.rank is None else tuple(tensor.shape.as_list())
        dtype = int(tensor.dtype.as_datatype_enum)
        if tensor.op.type == "Const":
            nodes[name] = Node(stripped(tensor.op.node_def, name), ())
        else:
            inputs.append(Input(name, dtype, dims))
            nodes[name] = placeholder(inputs[-1])
        given.append(f"{name}:0")
    nodes["made"] = Node(stripped(definition, "made"), tuple(given))
    graph = Graph("", nodes, tuple(inputs), ("made:0",), (), {}, (), {}, {}, {})
    return traced_script(graph, title=request.title)


def _machine() -> Any:
    from .machine import Machine

    return Machine()


def _uncut(frame: str) -> str:
    """A frame's name without the marks of the cuts that were made in it."""
    bare = _CUT.sub("", frame)
    while bare != frame:
        frame, bare = bare, _CUT.sub("", bare)
    return frame
