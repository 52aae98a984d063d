"""Ops that draw numbers: what depends on one cannot be compared between ways, or only within limits."""

from __future__ import annotations

from collections.abc import Iterator

from .. import compat_graph
from .ir import Graph, body_names, descendants, split

_STATELESS = "Stateless"
_DRAWS = ("Random", "Truncated", "Multinomial", "Stateful", "Parameterized", "NonDeterministic", "Rng", "Sample")
_SEEDED = ("Random", "Truncated", "Multinomial")
_NO_DRAW = frozenset({"StatefulPartitionedCall"})


def drawn(graph: Graph) -> tuple[dict[str, str], dict[str, str]]:
    """({node: op} of those with a state of their own, {node: op} of those that are given their seed).

    Control flow that draws in a body counts as a node that draws. Numbers with a state differ at every call; those
    of a given seed are the same at every call with the same shape, though not for the same row in another batch.
    """
    free: dict[str, str] = {}
    seeded: dict[str, str] = {}
    for name, node in graph.nodes.items():
        for op in (node.op, *ops_within(graph, name, set())):
            if _draws_freely(op):
                free.setdefault(name, op)
            elif op.startswith(_STATELESS) and any(word in op for word in _SEEDED):
                seeded.setdefault(name, op)
    return free, seeded


def behind(graph: Graph, nodes: dict[str, str], tensors: dict[str, str]) -> list[str]:
    """The names among {name: tensor} whose tensor depends by data on one of the nodes."""
    reached = descendants(graph, nodes, controls=False) if nodes else set()
    return [name for name, tensor in tensors.items() if split(tensor)[0] in reached]


def draws(op: str) -> bool:
    """Whether an op gives numbers drawn at random: with a state of its own, or from a seed that it is given."""
    if op.startswith(_STATELESS):
        # What makes a key of a seed is arithmetic on whole numbers, and no draw.
        return any(word in op for word in _SEEDED) and "Get" not in op
    return _draws_freely(op)


def _draws_freely(op: str) -> bool:
    if not op.startswith(_DRAWS) or op in _NO_DRAW:
        return False
    definition = compat_graph.op_definition(op)
    return bool(definition is not None and definition.is_stateful)


def ops_within(graph: Graph, name: str, seen: set[str]) -> Iterator[str]:
    """The ops in the bodies of a node of control flow; `seen` are bodies that are left out."""
    for body in body_names(graph.nodes[name]):
        if body in seen or body not in graph.bodies:
            continue
        seen.add(body)
        inner = graph.bodies[body]
        for node_name, node in inner.nodes.items():
            yield node.op
            yield from ops_within(inner, node_name, seen)
