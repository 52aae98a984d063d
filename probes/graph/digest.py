"""Whether two traces of a program gave the same graph, whatever their functions happen to be called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from .load import Program

# Attributes that name things (functions made for gradients, captures, places in memory) and decide nothing of what is
# computed.
_NAMES = frozenset(
    {
        "_gradient_op_type",
        "_forward_function_name",
        "_backward_function_name",
        "_original_func_name",
        "_user_specified_name",
        "_num_args",
        "config_proto",
        "executor_type",
        "shared_name",
        "container",
        "_construction_context",
    }
)


def digest(program: Program) -> dict[str, Any]:
    """{"digest", "nodes", "compiled"}: a hash of the graph, how many nodes there are, and how many of its functions
    are marked for XLA (`_XlaMustCompile`).

    Two graphs with the same digest have the same ops with the same attributes and the same edges, in the same order,
    called functions included; names of nodes and functions, which count through a process, do not matter.
    """
    library = _Library(program.graph.library.function)
    hashed = hashlib.sha256(_nodes(program.graph.node, (), library))
    for output in program.outputs:
        # The order of nodes is that of the graph, so a position stands for a node.
        hashed.update(_place(output, {n.name: i for i, n in enumerate(program.graph.node)}))
    hashed.update(b"xla" if program.xla else b"plain")
    nodes = len(program.graph.node) + sum(len(f.node_def) for f in program.graph.library.function)
    marked = sum(bool(f.attr["_XlaMustCompile"].b) for f in program.graph.library.function)
    return {"digest": hashed.hexdigest(), "nodes": nodes, "compiled": marked + int(program.xla)}


class _Library:
    """Digests of library functions, by name; a function that calls itself stands for itself by name."""

    def __init__(self, functions: Iterable[Any]) -> None:
        self._functions = {str(f.signature.name): f for f in functions}
        self._known: dict[str, bytes] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._functions

    def of(self, name: str) -> bytes:
        if name not in self._known:
            function = self._functions.get(name)
            if function is None:
                return name.encode()
            self._known[name] = b"recursive"
            arguments = [str(a.name) for a in function.signature.input_arg]
            hashed = hashlib.sha256(_nodes(function.node_def, arguments, self))
            places = _places(function.node_def, arguments)
            for argument in function.signature.output_arg:
                hashed.update(_place(function.ret[argument.name], places))
            hashed.update(_attributes(function.attr, self))
            self._known[name] = hashed.digest()
        return self._known[name]


def _nodes(nodes: Iterable[Any], arguments: Iterable[str], library: _Library) -> bytes:
    nodes = list(nodes)
    places = _places(nodes, arguments)
    hashed = hashlib.sha256()
    for node in nodes:
        hashed.update(library.of(node.op) if node.op in library else str(node.op).encode())
        for name in node.input:
            hashed.update(_place(name, places))
        hashed.update(_attributes(node.attr, library))
    return hashed.digest()


def _places(nodes: Iterable[Any], arguments: Iterable[str]) -> dict[str, int]:
    places = {name: -1 - i for i, name in enumerate(arguments)}
    places.update({str(node.name): i for i, node in enumerate(nodes)})
    return places


def _place(tensor: str, places: Mapping[str, int]) -> bytes:
    control = "^" if tensor.startswith("^") else ""
    name, _, rest = tensor.lstrip("^").partition(":")
    return f"{control}{places.get(name, name)}:{rest.rpartition(':')[2] or 0}|".encode()


def _attributes(attributes: Mapping[str, Any], library: _Library) -> bytes:
    hashed = hashlib.sha256()
    for name in sorted(attributes):
        if name in _NAMES:
            continue
        value = attributes[name]
        hashed.update(name.encode())
        called = [value.func.name] if value.HasField("func") else [f.name for f in value.list.func]
        if called:
            for function in called:
                hashed.update(library.of(str(function)))
        else:
            hashed.update(value.SerializeToString(deterministic=True))
    return hashed.digest()
