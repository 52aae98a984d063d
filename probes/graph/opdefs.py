"""What the op registry knows: how many outputs a node has, of which type, and their names in a
FunctionDef.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import compat_graph
from .errors import Unsupported


def definition_of(node: Any, functions: Mapping[str, Any]) -> Any:
    """The OpDef of a NodeDef: registered, or the signature of the function that it names directly."""
    found = compat_graph.op_definition(node.op)
    if found is None and node.op in functions:
        return functions[node.op].signature
    if found is None:
        raise Unsupported(f"op {node.op} (node {node.name}) is not known to this TensorFlow")
    return found


def outputs_of(node: Any, functions: Mapping[str, Any]) -> list[tuple[str, list[int]]]:
    """[(name of the output argument, dtypes of its tensors)], from which flat output numbers follow."""
    definition = definition_of(node, functions)
    defaults = {a.name: a.default_value for a in definition.attr}

    def attribute(name: str) -> Any:
        return node.attr[name] if name in node.attr else defaults[name]

    found = []
    for argument in definition.output_arg:
        if argument.type_list_attr:
            dtypes = [int(t) for t in attribute(argument.type_list_attr).list.type]
        else:
            dtype = int(attribute(argument.type_attr).type) if argument.type_attr else int(argument.type)
            count = int(attribute(argument.number_attr).i) if argument.number_attr else 1
            dtypes = [dtype] * count
        found.append((str(argument.name), dtypes))
    return found


def dtype_of(node: Any, index: int, functions: Mapping[str, Any]) -> int:
    """The DataType of a node's output."""
    flat = [dtype for _, dtypes in outputs_of(node, functions) for dtype in dtypes]
    return flat[index]
