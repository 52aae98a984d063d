"""A failing op with as little around it as is still needed for it to fail.

Edits put something simple in the place of a tensor: an argument (in the open), a constant, another tensor. What then
nobody needs falls away. Which edits keep the failure is for the doctor to try.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .errors import Unsupported
from .inline import make, placeholder
from .ir import (
    IFS,
    WHILES,
    Graph,
    Input,
    Node,
    ancestors,
    body_names,
    descendants,
    in_order,
    inputs_of,
    reach,
    rename,
    sources,
    split,
)  # fmt: skip
from .prefix import Spot, copied

Edit = Mapping[str, Any]
"""{"frame": name of the body, "" on top, "tensor", "to": "argument" or "zeros" with "shape", "value" with "value", or
"tensor" with "with"}"""


def edited(graph: Graph, edits: Sequence[Edit]) -> Graph:
    """The graph with the edits made, and without what they leave without use."""
    by_frame: dict[str, list[Edit]] = {}
    for edit in edits:
        by_frame.setdefault(str(edit["frame"]), []).append(edit)
    bodies = dict(graph.bodies)
    for name in frames(graph):
        if name:
            bodies[name] = _edited(bodies[name], by_frame.get(name, []), top=False)
    top = _edited(graph, by_frame.get("", []), top=True).replace(bodies=bodies)
    return tidy(top)


def tidy(graph: Graph) -> Graph:
    """The graph, and each body that it runs, without ops, arguments and loop variables that nothing uses."""
    size = None
    while True:
        bodies = dict(graph.bodies)
        graph = _Tidy(bodies).frame(graph, keep_inputs=False)
        for name, body in bodies.items():
            bodies[name] = body.replace(bodies=bodies)
        graph = graph.replace(bodies=bodies)
        # What a later loop no longer takes, an earlier one need no longer give.
        before, size = size, sum(len(f.nodes) + len(f.inputs) for f in frames(graph).values())
        if size == before:
            return graph


def frames(graph: Graph) -> dict[str, Graph]:
    """The top ("") and all bodies that it runs, by name."""
    found = {"": graph}
    todo = [graph]
    while todo:
        for node in todo.pop().nodes.values():
            for body in body_names(node):
                if body not in found:
                    found[body] = graph.bodies[body]
                    todo.append(found[body])
    return found


def listed(graph: Graph, spot: Spot) -> list[dict[str, Any]]:
    """[{"frame", "node", "op", "inputs", "dtypes", "bodies", "argument", "behind"}]: what there is to edit, frame by
    frame in program order.

    `argument` is the number of an argument of its frame, else None; `behind` marks op `spot`, what runs it, and what
    comes of them.
    """
    import tensorflow as tf

    from . import opdefs

    rows = []
    behind: dict[str, set[str]] = {}
    name, frame = "", graph
    for node_name, number in spot.way:
        behind[name] = descendants(frame, [node_name])
        name = list(body_names(frame.nodes[node_name]))[number]
        frame = graph.bodies[name]
    behind[name] = descendants(frame, [spot.node])
    for name, frame in frames(graph).items():
        given = {item.name: i for i, item in enumerate(frame.inputs)}
        for node in frame.nodes.values():
            dtypes = [d for _, types in opdefs.outputs_of(node.definition, frame.functions) for d in types]
            rows.append(
                {
                    "frame": name,
                    "node": node.name,
                    "op": node.op,
                    "inputs": list(node.inputs),
                    "dtypes": [tf.dtypes.as_dtype(d).name for d in dtypes],
                    "bodies": list(body_names(node)),
                    "argument": given.get(node.name),
                    "behind": node.name in behind.get(name, ()),
                }
            )
    return rows


def _edited(graph: Graph, edits: Sequence[Edit], top: bool) -> Graph:
    replaced = {
        f"{name}:{i}": tensor
        for name, node in graph.nodes.items()
        if node.op in ("Identity", "IdentityN")
        for i, tensor in enumerate(node.inputs)
    }
    nodes = dict(graph.nodes)
    inputs = list(graph.inputs)
    for edit in edits:
        tensor = str(edit["tensor"])
        name, index = split(tensor)
        fresh = f"{name}/__edit_{index}"
        if name not in nodes or fresh in nodes:
            continue
        dtype = graph.dtype(tensor)
        if edit["to"] == "tensor":
            replaced[tensor] = str(edit["with"])
            continue
        if edit["to"] == "argument" and top:
            item = Input(fresh, dtype, tuple(edit["shape"]), role="argument")
            inputs.append(item)
            nodes[fresh] = placeholder(item)
        else:
            value = edit["value"] if edit["to"] == "value" else np.zeros(edit["shape"])
            nodes[fresh] = constant(fresh, value, dtype)
        replaced[tensor] = f"{fresh}:0"

    def now(tensor: str) -> str:
        seen = set()
        while tensor in replaced and tensor not in seen:
            seen.add(tensor)
            tensor = replaced[tensor]
        return tensor

    nodes = {n: dataclasses.replace(node, inputs=tuple(map(now, node.inputs))) for n, node in nodes.items()}
    order = in_order(nodes, lambda n: sources(nodes[n]))
    return graph.replace(
        nodes={n: nodes[n] for n in order}, inputs=tuple(inputs), outputs=tuple(map(now, graph.outputs))
    )


def constant(name: str, value: Any, dtype: int) -> Node:
    """A Const node."""
    import tensorflow as tf

    kind = tf.dtypes.as_dtype(dtype)
    node = make("Const", name)
    node.definition.attr["dtype"].type = dtype
    array = np.asarray(value, dtype=kind.as_numpy_dtype)
    uniform = array.size > 1 and bool((array == array.flat[0]).all())
    proto = tf.make_tensor_proto(array.flat[0] if uniform else array, dtype=kind, shape=list(array.shape))
    node.definition.attr["value"].tensor.CopyFrom(proto)
    return node


class _Tidy:
    def __init__(self, bodies: dict[str, Graph]) -> None:
        self.bodies = bodies
        self._count = 0

    def frame(self, graph: Graph, keep_inputs: bool) -> Graph:
        """Its nodes that are needed, with tidy bodies."""
        graph = _needed(graph.replace(controls=() if graph.outputs else graph.controls), keep_inputs)
        used = {t for node in graph.nodes.values() for t in node.inputs} | set(graph.outputs)
        nodes: dict[str, Node] = {}
        moved: dict[str, str] = {}
        for name, node in graph.nodes.items():
            # An order without data is of no account to XLA.
            kept = Node(node.definition, tuple(moved.get(t, t) for t in node.inputs))
            if node.op in WHILES:
                kept = self.loop(kept, used, moved)
            elif node.op in IFS:
                kept = self.branches(kept)
            nodes[name] = kept
        outputs = tuple(moved.get(t, t) for t in graph.outputs)
        return _needed(graph.replace(nodes=nodes, outputs=outputs), keep_inputs)

    def loop(self, node: Node, used: set[str], moved: dict[str, str]) -> Node:
        """Without the variables that only hand on themselves; another round where that frees more."""
        condition, body = (self.frame(self.bodies[n], keep_inputs=True) for n in body_names(node))
        count = len(node.inputs)
        keep = {i for i in range(count) if f"{node.name}:{i}" in used}
        while True:
            live = _reads(condition, condition.outputs, condition.controls)
            live |= _reads(body, [body.outputs[i] for i in keep], body.controls)
            more = keep | {i for i, item in enumerate(body.inputs) if item.name in live}
            more |= {i for i, item in enumerate(condition.inputs) if item.name in live}
            if more == keep:
                break
            keep = more
        order = sorted(keep)
        for new, old in enumerate(order):
            moved[f"{node.name}:{old}"] = f"{node.name}:{new}"
        condition = condition.replace(inputs=tuple(condition.inputs[i] for i in order))
        body = body.replace(inputs=tuple(body.inputs[i] for i in order), outputs=tuple(body.outputs[i] for i in order))
        names = [self.keep(_needed(condition, True)), self.keep(_needed(body, True))]
        definition = copied(node.definition)
        rename(definition, names)
        types = [definition.attr["T"].list.type[i] for i in order]
        del definition.attr["T"].list.type[:]
        definition.attr["T"].list.type.extend(types)
        if len(definition.attr["output_shapes"].list.shape) == count:
            shapes = [copied(definition.attr["output_shapes"].list.shape[i]) for i in order]
            del definition.attr["output_shapes"].list.shape[:]
            definition.attr["output_shapes"].list.shape.extend(shapes)
        return Node(definition, tuple(node.inputs[i] for i in order), node.controls)

    def branches(self, node: Node) -> Node:
        """Without the arguments that no branch reads."""
        found = [self.frame(self.bodies[n], keep_inputs=True) for n in body_names(node)]
        read = [_reads(b, b.outputs, b.controls) for b in found]
        order = [
            i
            for i in range(len(node.inputs) - 1)
            if any(b.inputs[i].name in r for b, r in zip(found, read, strict=True))
        ]
        names = [self.keep(_needed(b.replace(inputs=tuple(b.inputs[i] for i in order)), True)) for b in found]
        definition = copied(node.definition)
        rename(definition, names)
        types = [definition.attr["Tin"].list.type[i] for i in order]
        del definition.attr["Tin"].list.type[:]
        definition.attr["Tin"].list.SetInParent()
        definition.attr["Tin"].list.type.extend(types)
        return Node(definition, (node.inputs[0], *(node.inputs[i + 1] for i in order)), node.controls)

    def keep(self, graph: Graph) -> str:
        while f"part_{self._count}" in self.bodies:
            self._count += 1
        self.bodies[f"part_{self._count}"] = graph
        return f"part_{self._count}"


def _needed(graph: Graph, keep_inputs: bool) -> Graph:
    ends = [*(split(t)[0] for t in graph.outputs), *graph.controls]
    keep = set(reach(ends, lambda name: inputs_of(graph, name)))
    if keep_inputs:
        keep |= {item.name for item in graph.inputs}
    nodes = {n: node for n, node in graph.nodes.items() if n in keep}
    return graph.replace(nodes=nodes, inputs=tuple(i for i in graph.inputs if i.name in keep))


def _reads(graph: Graph, outputs: Sequence[str], controls: Sequence[str]) -> set[str]:
    return ancestors(graph, outputs, controls)


def check(edits: Any) -> list[Edit]:
    """The edits of a request; raises Unsupported for what is none."""
    known = ("argument", "zeros", "value", "tensor")
    if not isinstance(edits, list | tuple) or not all(isinstance(e, dict) and e.get("to") in known for e in edits):
        raise Unsupported(f"edits are a list of {{frame, tensor, to: one of {', '.join(known)}, ...}}")
    return list(edits)
