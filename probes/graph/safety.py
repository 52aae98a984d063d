"""Which ops of a capsule may run.

A capsule is a program. One from elsewhere may hold ops that read files, open connections or call Python, so
there is an allowlist (`safe_ops.txt`): whatever is not on it is never run. In a foreign capsule it is
refused by name; in the user's own it is left out, and what depends on it is reported as unknown.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import emit, opdefs
from .errors import Refused
from .holes import hole
from .inline import make
from .ir import Graph, Node, body_names
from .load import Program

_SILENCED = frozenset({"PrintV2"})
"""Allowed in a capsule, but never run: it has no result, and could be told to write to a file."""


@functools.cache
def safe_ops() -> frozenset[str]:
    """The allowlist."""
    lines = (Path(__file__).parent / "safe_ops.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def unsafe_ops(program: Program) -> dict[str, str]:
    """{op: the first node that has it} of everything in the program, its library included, that may not run."""
    library = {str(f.signature.name) for f in program.graph.library.function}
    found: dict[str, str] = {}
    for function, node in _all_nodes(program.graph):
        if node.op not in safe_ops() and node.op not in library and node.op not in _SILENCED:
            found.setdefault(str(node.op), f"{function}/{node.name}" if function else str(node.name))
    return found


def refuse_unsafe(program: Program) -> None:
    """Raise Refused with the name of an op that may not run, if the program has one."""
    found = unsafe_ops(program)
    if found:
        op, node = next(iter(found.items()))
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise Refused(f"op {op} (node {node}) is not on the list of ops that a foreign capsule may run{more}")


def seal(graph: Graph) -> tuple[Graph, dict[str, str]]:
    """(the graph without ops that may not run, {node: reason}); bodies are sealed too."""
    left_out: dict[str, str] = {}
    bodies: dict[str, Graph] = {}
    for name, body in graph.bodies.items():
        nodes = _sealed(body, left_out, f"{name}/")
        bodies[name] = body if nodes is None else body.replace(nodes=nodes)
    nodes = _sealed(graph, left_out, "")
    sealed = graph.replace(bodies=bodies) if nodes is None else graph.replace(nodes=nodes, bodies=bodies)
    for name, body in bodies.items():
        bodies[name] = body.replace(bodies=bodies)
    return sealed, left_out


def _sealed(graph: Graph, left_out: dict[str, str], prefix: str) -> dict[str, Node] | None:
    if all(_may_run(graph, node) for node in graph.nodes.values()):
        return None
    nodes: dict[str, Node] = {}
    for name, node in graph.nodes.items():
        if _may_run(graph, node):
            nodes[name] = node
            continue
        dtypes = [d for _, types in opdefs.outputs_of(node.definition, graph.functions) for d in types]
        if node.op in _SILENCED or not dtypes:
            nodes[name] = Node(make("NoOp", name).definition, (), node.controls)
        else:
            nodes.update(hole(name, dtypes, f"op {node.op} is not run by the doctor"))
        if node.op not in _SILENCED:
            left_out[prefix + name] = f"op {node.op} may touch files, network, Python or other processes"
    return nodes


def _may_run(graph: Graph, node: Node) -> bool:
    if node.op not in safe_ops():
        return False
    others = [f for f in emit.functions_in(node.definition)[1:] if f not in set(body_names(node))]
    return all(_function_may_run(graph, name, set()) for name in others)


def _function_may_run(graph: Graph, name: str, seen: set[str]) -> bool:
    if name in seen or name not in graph.functions:
        return True
    seen.add(name)
    for node in graph.functions[name].node_def:
        if node.op not in safe_ops() and node.op not in graph.functions:
            return False
        if not all(_function_may_run(graph, f, seen) for f in emit.functions_in(node)):
            return False
    return True


def _all_nodes(definition: Any) -> Iterator[tuple[str, Any]]:
    for node in definition.node:
        yield "", node
    for function in definition.library.function:
        for node in function.node_def:
            yield str(function.signature.name), node
