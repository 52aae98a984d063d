"""The step out of the outer call: where a graph takes its batch from an iterator, the batch becomes an
input.
"""

from __future__ import annotations

import dataclasses

from .inline import make, placeholder
from .ir import Graph, Input, Node, Origin, Region, split

_NEXT = frozenset({"IteratorGetNext", "IteratorGetNextSync"})
_NEXT_OPTIONAL = "IteratorGetNextAsOptional"
_OPTIONAL = "OptionalFromValue"
_PASSING = frozenset({"Identity"})


def cut_iterators(graph: Graph) -> Graph:
    """Replace each `IteratorGetNext` by inputs of role data, in the order in which the iterator yields them.

    Keras' `fit` and `evaluate` take the batch so, its `predict` gets tensors. An optional batch (several
    steps in one execution) becomes an optional that has a value; within the loop the iterator is then at
    its end, so the first step is run. The inputs keep the place of the iterator's node: `graph.tensor(path,
    "IteratorGetNext:1")` finds them.
    """
    inputs = list(graph.inputs)
    nodes: dict[str, Node] = {}
    moved: dict[str, str] = {}
    aliases = dict(graph.aliases)
    origins = dict(graph.origins)
    count = 0
    for name, node in graph.nodes.items():
        if node.op not in _NEXT and node.op != _NEXT_OPTIONAL:
            nodes[name] = node
            continue
        types = [int(t) for t in node.definition.attr["output_types"].list.type]
        shapes = list(node.definition.attr["output_shapes"].list.shape)
        origin = graph.origins[name]
        tensors = []
        for i, (dtype, shape) in enumerate(zip(types, shapes, strict=True)):
            dims = None if shape.unknown_rank else tuple(None if d.size < 0 else int(d.size) for d in shape.dim)
            item = Input(f"{name}/element_{i}", dtype, dims, role="data", key=f"data:{count}")
            count += 1
            inputs.append(item)
            nodes[item.name] = placeholder(item)
            origins[item.name] = Origin(origin.path, origin.function, origin.node, origin.order)
            tensors.append(f"{item.name}:0")
        if node.op == _NEXT_OPTIONAL:
            optional = make(_OPTIONAL, name)
            optional.definition.attr["Toutput_types"].list.type.extend(types)
            nodes[name] = Node(optional.definition, tuple(tensors), node.controls)
            continue
        # Others may wait for the iterator by a control edge.
        nodes[name] = Node(make("NoOp", name).definition, (), node.controls)
        moved.update({f"{name}:{i}": t for i, t in enumerate(tensors)})
        aliases[origin.path, origin.node] = tuple(tensors)
    bodies = {name: _without_iterators(body) for name, body in graph.bodies.items()}
    changed = graph.replace(
        nodes={name: _renamed(node, moved) for name, node in nodes.items()},
        inputs=tuple(inputs),
        aliases={key: _alias(value, moved) for key, value in aliases.items()},
        origins=origins,
        bodies=bodies,
        regions=tuple(_region(region, moved) for region in graph.regions),
        outputs=tuple(moved.get(t, t) for t in graph.outputs),
    )
    return changed.replace(outputs=tuple(t for output in changed.outputs for t in opened(changed, output)))


def opened(graph: Graph, tensor: str) -> tuple[str, ...]:
    """What is in an optional that the graph itself makes; any other tensor as it is.

    Keras wraps the result of a step in an optional, which has no value that could be looked at.
    """
    name, _ = split(tensor)
    node = graph.nodes[name]
    while node.op in _PASSING:
        node = graph.nodes[split(node.inputs[0])[0]]
    return node.inputs if node.op == _OPTIONAL else (tensor,)


def _without_iterators(body: Graph) -> Graph:
    """A body in which the iterator has no more batches."""
    if not any(node.op == _NEXT_OPTIONAL for node in body.nodes.values()):
        return body
    nodes = {
        name: Node(make("OptionalNone", name).definition, (), node.controls) if node.op == _NEXT_OPTIONAL else node
        for name, node in body.nodes.items()
    }
    return body.replace(nodes=nodes)


def _renamed(node: Node, moved: dict[str, str]) -> Node:
    if not any(t in moved for t in node.inputs):
        return node
    return Node(node.definition, tuple(moved.get(t, t) for t in node.inputs), node.controls)


def _alias(value: str | tuple[str, ...], moved: dict[str, str]) -> str | tuple[str, ...]:
    return value if isinstance(value, str) else tuple(moved.get(t, t) for t in value)


def _region(region: Region, moved: dict[str, str]) -> Region:
    return dataclasses.replace(
        region,
        arguments=tuple(moved.get(t, t) for t in region.arguments),
        results=tuple(moved.get(t, t) for t in region.results),
    )
