"""A flat graph -> GraphDef, with the bodies of its control flow as FunctionDefs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import opdefs
from .ir import Graph, Node, body_names, split


def graph_def(graph: Graph, replaced: Mapping[str, list[Any]] | None = None) -> Any:
    """The GraphDef of a flat graph. Imported with its library.

    `replaced` gives other NodeDefs for some nodes.
    """
    import tensorflow as tf

    result = tf.compat.v1.GraphDef()
    result.versions.producer = tf.version.GRAPH_DEF_VERSION
    used: list[Node] = []
    for name, node in graph.nodes.items():
        if replaced and name in replaced:
            result.node.extend(replaced[name])
            continue
        used.append(node)
        added = result.node.add()
        added.CopyFrom(node.definition)
        added.input.extend(node.inputs)
        added.input.extend(f"^{c}" for c in node.controls)
    result.library.function.extend(library(graph, used))
    return result


def renamed(definition: Any, suffix: str) -> Any:
    """The same GraphDef with `suffix` on the name of each library function, so that two of them can live in
    one process.
    """
    names = {str(f.signature.name) for f in definition.library.function}
    result = type(definition)()
    result.CopyFrom(definition)
    for function in result.library.function:
        function.signature.name += suffix
        for node in function.node_def:
            _rename_in(node, names, suffix)
    for node in result.node:
        _rename_in(node, names, suffix)
    return result


def _rename_in(node: Any, names: set[str], suffix: str) -> None:
    if node.op in names:
        node.op += suffix
    for value in node.attr.values():
        functions = [value.func] if value.HasField("func") else value.list.func if value.HasField("list") else []
        for function in functions:
            if function.name in names:
                function.name += suffix


def library(graph: Graph, nodes: Iterable[Node]) -> list[Any]:
    """The FunctionDefs that these nodes need, directly or through others."""
    found: dict[str, Any] = {}
    todo = list(nodes)
    while todo:
        node = todo.pop()
        bodies = set(body_names(node))
        for name in functions_in(node.definition):
            if name in found:
                continue
            if name in bodies:
                body = graph.bodies[name]
                found[name] = function_def(name, body)
                todo.extend(body.nodes.values())
            elif name in graph.functions:
                found[name] = _plain(graph.functions[name])
                todo.extend(Node(n, ()) for n in found[name].node_def)
    return list(found.values())


def functions_in(definition: Any) -> list[str]:
    """All functions that a NodeDef refers to."""
    names = [str(definition.op)]
    for value in definition.attr.values():
        if value.HasField("func"):
            names.append(str(value.func.name))
        elif value.HasField("list"):
            names.extend(str(f.name) for f in value.list.func)
    return names


def function_def(name: str, graph: Graph) -> Any:
    """The FunctionDef of a flat body."""
    from tensorflow.core.framework import function_pb2

    result = function_pb2.FunctionDef()
    result.signature.name = name
    arguments = [item.name for item in graph.inputs]
    dtypes: dict[str, list[tuple[str, int]]] = {}
    for node in graph.nodes.values():
        dtypes[node.name] = [
            (f"{node.name}:{out}:{i}", dtype)
            for out, types in opdefs.outputs_of(node.definition, graph.functions)
            for i, dtype in enumerate(types)
        ]
    for item in arguments:
        result.signature.input_arg.add(name=item, type=dtypes[item][0][1])
    given = set(arguments)

    def reference(tensor: str) -> str:
        node, index = split(tensor)
        return node if node in given else dtypes[node][index][0]

    for node in graph.nodes.values():
        if node.name in given:
            continue
        added = result.node_def.add()
        added.CopyFrom(node.definition)
        added.input.extend(reference(t) for t in node.inputs)
        # An argument is there from the start: nobody needs to wait for it, and a FunctionDef cannot say so.
        added.input.extend(f"^{c}" for c in node.controls if c not in given)
    for i, tensor in enumerate(graph.outputs):
        source, index = split(tensor)
        result.signature.output_arg.add(name=f"result_{i}", type=dtypes[source][index][1])
        result.ret[f"result_{i}"] = reference(tensor)
    for control in graph.controls:
        result.signature.control_output.append(control)
        result.control_ret[control] = control
    result.signature.is_stateful = any(_stateful(n, graph) for n in graph.nodes.values())
    return result


def _stateful(node: Node, graph: Graph) -> bool:
    return node.op != "Placeholder" and bool(opdefs.definition_of(node.definition, graph.functions).is_stateful)


def _plain(definition: Any) -> Any:
    """A library function as it came, but never compiled by XLA."""
    copy = type(definition)()
    copy.CopyFrom(definition)
    for attributes in (copy.attr, *(n.attr for n in copy.node_def)):
        for name in [a for a in attributes if a.startswith("_")]:
            del attributes[name]
    for node in copy.node_def:
        node.device = ""
    return copy
