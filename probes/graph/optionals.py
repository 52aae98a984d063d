"""Optionals out of the way, for XLA.

When TensorFlow differentiates a `tf.cond` that it does not trace for XLA, each branch hands its
intermediates to the gradient as optionals: the branch that was taken has a value, the other has none. XLA
has no optionals; traced for XLA, the same code hands over bare tensors, and a `FakeParam` where there is
none. This makes the first form into the second, so that a step that was traced on a machine where Keras
leaves XLA off can be lowered for one where it turns it on.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from .errors import Unsupported
from .inline import make, placeholder
from .ir import CALLS, IFS, WHILES, Graph, Input, Node, body_names, rename

_OPTIONALS = frozenset({"OptionalFromValue", "OptionalNone", "OptionalGetValue", "OptionalHasValue"})


@dataclasses.dataclass(eq=False)
class _Content:
    """What is in an optional. The shape becomes known where the value is taken out."""

    dtype: int
    shape: Any = None
    holders: list[tuple[str, int]] = dataclasses.field(default_factory=list)
    """(body, output number) that hand it out."""
    fakes: list[Any] = dataclasses.field(default_factory=list)
    """NodeDefs of FakeParams that stand in for it."""


class _Nothing:
    """The type of an `OptionalNone`: what it would hold is known from the other branch."""


_Type = _Content | _Nothing | None


def has_optionals(graph: Graph) -> bool:
    """Whether an optional is made or used anywhere in a graph or in a body that it runs."""
    return _has_optionals(graph, set())


def unwrap(graph: Graph) -> Graph:
    """The graph without optionals; raises Unsupported where one goes into a loop's list or another op."""
    if not has_optionals(graph):
        return graph
    bodies = dict(graph.bodies)
    contents: list[_Content] = []
    top = _Frame(graph, bodies, contents, [None] * len(graph.inputs))
    for content in contents:
        if content.shape is None:
            # Nobody takes it out. The branches must still agree on something.
            for holder, index in content.holders:
                bodies[holder] = _with_scalar(bodies[holder], index, content.dtype)
        for fake in content.fakes:
            # As TensorFlow does where it traces for XLA: an open dimension of a tensor that is not there is 0.
            shape = fake.attr["shape"].shape
            shape.SetInParent()
            for dim in content.shape.dim if content.shape is not None else ():
                shape.dim.add(size=max(dim.size, 0))
    for name, body in bodies.items():
        bodies[name] = body.replace(bodies=bodies)
    return graph.replace(nodes=top.nodes, bodies=bodies)


class _Frame:
    def __init__(
        self, graph: Graph, bodies: dict[str, Graph], contents: list[_Content], arguments: Sequence[_Type]
    ) -> None:
        self.graph = graph
        self.bodies = bodies
        self.contents = contents
        self.nodes: dict[str, Node] = {}
        self.types: dict[str, _Type] = {}
        given = {i.name: t for i, t in zip(graph.inputs, arguments, strict=True)}
        for name, node in graph.nodes.items():
            content = given.get(name)
            if isinstance(content, _Content):
                self.types[f"{name}:0"] = content
                self.nodes[name] = placeholder(Input(name, content.dtype, None))
            else:
                self.rewrite(name, node)

    def rewrite(self, name: str, node: Node) -> None:
        types = [self.types.get(t) for t in node.inputs]
        if node.op == "OptionalFromValue":
            dtypes = list(node.definition.attr["Toutput_types"].list.type)
            if len(dtypes) != 1:
                raise Unsupported(f"node {name} puts {len(dtypes)} tensors into one optional")
            self.types[f"{name}:0"] = self.content(int(dtypes[0]))
            self.bare(name, node, int(dtypes[0]))
        elif node.op == "OptionalNone":
            self.types[f"{name}:0"] = _Nothing()
            self.nodes[name] = node
        elif node.op in IFS or node.op in CALLS or node.op in WHILES:
            self.run(name, node, types)
        elif all(t is None for t in types):
            self.nodes[name] = node
        elif node.op == "Identity":
            self.types[f"{name}:0"] = types[0]
            if isinstance(types[0], _Content):
                self.bare(name, node, types[0].dtype)
            else:
                self.nodes[name] = node
        elif node.op == "OptionalGetValue" and isinstance(types[0], _Content):
            types[0].shape = types[0].shape or node.definition.attr["output_shapes"].list.shape[0]
            self.bare(name, node, types[0].dtype)
        else:
            raise Unsupported(f"op {node.op} (node {name}) takes an optional, which XLA does not have")

    def content(self, dtype: int) -> _Content:
        self.contents.append(_Content(dtype))
        return self.contents[-1]

    def bare(self, name: str, node: Node, dtype: int) -> None:
        """An Identity of the value itself."""
        identity = make("Identity", name)
        identity.definition.attr["T"].type = dtype
        self.nodes[name] = Node(identity.definition, node.inputs, node.controls)

    def run(self, name: str, node: Node, types: list[_Type]) -> None:
        """A node that runs bodies: each gets the types of its arguments, and their results must agree."""
        given = types[1:] if node.op in IFS else types
        frames, fresh = [], []
        for body in body_names(node):
            frame = _Frame(self.graph.bodies[body], self.bodies, self.contents, given)
            frames.append(frame)
            fresh.append(self.new_name(body))
            self.bodies[fresh[-1]] = frame.graph  # reserved; the nodes follow below
        result = frames[1:] if node.op in WHILES else frames
        outputs = result[0].graph.outputs
        found = [
            self.agree(name, i, result, fresh[-len(result) :], given[i] if node.op in WHILES else None)
            for i in range(len(outputs))
        ]
        for frame, body in zip(frames, fresh, strict=True):
            inputs = tuple(
                dataclasses.replace(item, dtype=t.dtype) if isinstance(t, _Content) else item
                for item, t in zip(frame.graph.inputs, given, strict=True)
            )
            self.bodies[body] = frame.graph.replace(nodes=frame.nodes, inputs=inputs)
        definition = type(node.definition)()
        definition.CopyFrom(node.definition)
        _retype(definition, "T" if node.op in WHILES else "Tin", given)
        if node.op not in WHILES:
            _retype(definition, "Tout", found)
        shapes = definition.attr["output_shapes"].list.shape if "output_shapes" in definition.attr else ()
        for i, content in enumerate(found):
            if isinstance(content, _Content):
                self.types[f"{name}:{i}"] = content
                if i < len(shapes):
                    shapes[i].CopyFrom(type(shapes[i])(unknown_rank=True))
            elif isinstance(content, _Nothing):
                self.types[f"{name}:{i}"] = content
        rename(definition, fresh)
        self.nodes[name] = Node(definition, node.inputs, node.controls)

    def agree(self, name: str, index: int, frames: list[_Frame], bodies: list[str], given: _Type) -> _Type:
        """The common type of one result; a branch without a value gets a FakeParam."""
        types = [frame.types.get(frame.graph.outputs[index]) for frame in frames]
        known = [t for t in types if isinstance(t, _Content)]
        if not known:
            return next((t for t in types if t is not None), None)
        if any(t is None for t in types) or len({t.dtype for t in known}) > 1:
            raise Unsupported(f"the branches of {name} do not agree on what result {index} is")
        if len(types) == 1 and (given is None or given is known[0]):
            return known[0]
        content = self.content(known[0].dtype)
        for frame, body, found in zip(frames, bodies, types, strict=True):
            content.holders.append((body, index))
            if isinstance(found, _Nothing):
                node = frame.graph.outputs[index].rpartition(":")[0]
                fake = make("FakeParam", node)
                fake.definition.attr["dtype"].type = content.dtype
                content.fakes.append(fake.definition)
                frame.nodes[node] = Node(fake.definition, (), frame.nodes[node].controls)
        return content

    def new_name(self, body: str) -> str:
        number = 0
        while f"{body}__bare_{number}" in self.bodies:
            number += 1
        return f"{body}__bare_{number}"


def _retype(definition: Any, attribute: str, types: Sequence[_Type]) -> None:
    dtypes = definition.attr[attribute].list.type
    for i, content in enumerate(types):
        if isinstance(content, _Content):
            dtypes[i] = content.dtype


def _with_scalar(body: Graph, index: int, dtype: int) -> Graph:
    fake = make("FakeParam", f"__unused_{index}")
    fake.definition.attr["dtype"].type = dtype
    fake.definition.attr["shape"].shape.SetInParent()
    outputs = tuple(f"{fake.name}:0" if i == index else t for i, t in enumerate(body.outputs))
    return body.replace(nodes={**body.nodes, fake.name: fake}, outputs=outputs)


def _has_optionals(graph: Graph, seen: set[str]) -> bool:
    for node in graph.nodes.values():
        if node.op in _OPTIONALS:
            return True
        for body in body_names(node):
            if body not in seen:
                seen.add(body)
                if _has_optionals(graph.bodies[body], seen):
                    return True
    return False
