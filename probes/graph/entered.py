"""The bodies of branches and loops by value, as they are when they are entered first: also a branch not taken."""

from __future__ import annotations

from collections.abc import Collection

from .evaluate import Activation
from .ir import CONTROL_FLOW, IFS, Graph, body_names


def entered(activation: Activation, wanted: Collection[str]) -> dict[str, Activation]:
    """{body: its frame with the values that it gets first}, of the bodies `wanted` whose arguments can be had.

    A branch that is not taken gets what it would get; a loop that makes no round does so too.
    """
    found: dict[str, Activation] = {}
    _enter(activation, set(wanted), found, {})
    return found


def _enter(outer: Activation, wanted: set[str], found: dict[str, Activation], known: dict[str, bool]) -> None:
    graph = outer.graph
    nodes = [
        n
        for n in graph.nodes.values()
        if n.op in CONTROL_FLOW and any(_leads(graph, b, wanted, known) for b in body_names(n))
    ]
    outer.compute(list(dict.fromkeys(t for n in nodes for t in n.inputs)))
    for node in nodes:
        given = node.inputs[1:] if node.op in IFS else node.inputs
        if any(t not in outer.values for t in given):
            continue
        for body in body_names(node):
            if body not in found and _leads(graph, body, wanted, known):
                found[body] = outer.enter(body, [outer.values[t] for t in given])
                _enter(found[body], wanted, found, known)


def _leads(graph: Graph, body: str, wanted: set[str], known: dict[str, bool]) -> bool:
    """Whether a body is wanted, or runs one that is."""
    if body not in known:
        known[body] = body in wanted
        inner = graph.bodies[body]
        known[body] |= any(_leads(inner, b, wanted, known) for n in inner.nodes.values() for b in body_names(n))
    return known[body]
