"""Resources in the place of those that a capsule cannot hold: tables.

XLA looks for kernels before it looks at any argument, so an empty resource of the right kind is enough to see whether
it refuses the op. What comes of a call that it does not refuse says nothing: the resource is empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .ir import Graph, Node


def empty_resources(graph: Graph, names: Iterable[str]) -> dict[str, Any]:
    """{tensor of an input: an empty resource}; an input whose kind its users do not tell is left out."""
    found = {}
    for name in names:
        users = (node for node in graph.nodes.values() if f"{name}:0" in node.inputs)
        made = next((made for node in users if (made := _empty(node)) is not None), None)
        if made is not None:
            found[f"{name}:0"] = made
    return found


def _empty(node: Node) -> Any:
    import tensorflow as tf

    op, attributes = node.definition.op, node.definition.attr
    if op.startswith("LookupTable") and {"Tin", "Tout"} <= set(attributes):
        return tf.raw_ops.AnonymousHashTable(key_dtype=attributes["Tin"].type, value_dtype=attributes["Tout"].type)
    return None
