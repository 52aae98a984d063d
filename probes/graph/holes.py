"""Holes: where an op stands that is not run, because it may not be or because it cannot be made functional.

A hole is a placeholder without a value, so the graph stays valid around it. What needs its value is not evaluated; what
merely waits for it (a control edge) is: the doctor leaves the effect out and says so.
"""

from __future__ import annotations

from .inline import make, placeholder
from .ir import Graph, Input, Node, body_names, descendants

HOLE = "_xladoctor_hole"
"""Attribute of the node in a hole: the reason."""


def hole(name: str, dtypes: list[int], reason: str) -> dict[str, Node]:
    """The nodes for a hole in the place of a node with outputs of these types."""
    names = [name] if len(dtypes) == 1 else [f"{name}/__hole_{i}" for i in range(len(dtypes))]
    nodes = {n: placeholder(Input(n, dtype, None)) for n, dtype in zip(names, dtypes, strict=True)}
    if len(dtypes) > 1:
        join = make("IdentityN", name)
        join.definition.attr["T"].list.type.extend(dtypes)
        nodes[name] = Node(join.definition, tuple(f"{n}:0" for n in names))
    for node in nodes.values():
        node.definition.attr[HOLE].s = reason.encode()
    if not dtypes:
        nodes[name] = make("NoOp", name)
    return nodes


def holes(graph: Graph) -> dict[str, str]:
    """Nodes that cannot be run as a whole, with the reason: holes, and control flow with a hole in a body."""
    return _holes(graph, {})


def detached(graph: Graph) -> Graph:
    """The graph, and its bodies, without waiting for holes or for what depends on one."""
    known: dict[str, dict[str, str]] = {}
    bodies = {name: _detached(body, known) for name, body in graph.bodies.items()}
    for name, body in bodies.items():
        bodies[name] = body.replace(bodies=bodies)
    return _detached(graph, known).replace(bodies=bodies)


def _detached(graph: Graph, known: dict[str, dict[str, str]]) -> Graph:
    missing = set(_holes(graph, known))
    missing |= {i.name for i in graph.inputs if i.role in ("iterator", "resource")}
    lost = descendants(graph, missing, controls=False)
    if not any(c in lost for n in graph.nodes.values() for c in n.controls) and not lost & set(graph.controls):
        return graph
    nodes = {
        name: Node(node.definition, node.inputs, tuple(c for c in node.controls if c not in lost))
        for name, node in graph.nodes.items()
    }
    return graph.replace(nodes=nodes, controls=tuple(c for c in graph.controls if c not in lost))


def _holes(graph: Graph, known: dict[str, dict[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, node in graph.nodes.items():
        if HOLE in node.definition.attr:
            found[name] = node.definition.attr[HOLE].s.decode()
        for body in body_names(node):
            if body not in known:
                known[body] = {}
                known[body] = _holes(graph.bodies[body], known)
            if known[body]:
                found[name] = next(iter(known[body].values()))
    return found
