"""One op of a graph as an expression of Python: the usual name where there is one, else `tf.raw_ops`."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import opdefs
from .errors import Unsupported
from .ir import Graph, Node, split

_SMALL = 64
_ROW = 8
"""Numbers in a row are written as a range if there are more of them."""
_REDUCTIONS = frozenset({"Sum", "Max", "Min", "Mean"})
_BINARY = {
    "AddV2": "+",
    "Add": "+",
    "Sub": "-",
    "Mul": "*",
    "RealDiv": "/",
    "FloorDiv": "//",
    "FloorMod": "%",
    "Greater": ">",
    "GreaterEqual": ">=",
    "Less": "<",
    "LessEqual": "<=",
    "LogicalAnd": "&",
    "LogicalOr": "|",
}
_CALLS = {
    "Abs": "tf.abs",
    "Complex": "tf.complex",
    "ComplexAbs": "tf.abs",
    "ExpandDims": "tf.expand_dims",
    "FFT": "tf.signal.fft",
    "FFT2D": "tf.signal.fft2d",
    "Fill": "tf.fill",
    "Floor": "tf.floor",
    "IFFT2D": "tf.signal.ifft2d",
    "Imag": "tf.math.imag",
    "MatMul": None,
    "Maximum": "tf.maximum",
    "Minimum": "tf.minimum",
    "Range": "tf.range",
    "Real": "tf.math.real",
    "Reshape": "tf.reshape",
    "Tile": "tf.tile",
    "Transpose": "tf.transpose",
    "ZerosLike": "tf.zeros_like",
}
_PLAIN = {3: "int", 1: "float", 10: "bool"}  # what a bare Python number becomes: int32, float32, bool


def type_name(dtype: int) -> str:
    """`tf.float32`."""
    import tensorflow as tf

    return f"tf.{tf.dtypes.as_dtype(dtype).name}"


def literal(node: Node) -> str:
    """A constant: written out if it is small or all the same, else random numbers of its shape."""
    import tensorflow as tf

    dtype = int(node.definition.attr["dtype"].type)
    value = tf.make_ndarray(node.definition.attr["value"].tensor)
    shape = [int(n) for n in value.shape]
    if value.size and value.size > 1 and bool((value == value.flat[0]).all()):
        return (
            f"tf.zeros({shape}, {type_name(dtype)})"
            if not value.flat[0]
            else f"tf.fill({shape}, {_scalar(value.flat[0], dtype)})"
        )
    if dtype == 3 and value.size > _ROW and shape in ([value.size], [1, value.size]) and (np.diff(value) == 1).all():
        said = f"tf.range({value.flat[0]}, {value.flat[-1] + 1})"
        return said if value.ndim == 1 else f"{said}[None]"
    if value.size <= _SMALL:
        if value.ndim == 0:
            return _scalar(value[()], dtype)
        said = str(value.tolist())
        return said if dtype in _PLAIN and value.size else f"tf.constant({said}, {type_name(dtype)}, {shape})"
    if value.dtype.kind in "fV":
        return f"tf.constant(random.random({tuple(shape)}), {type_name(dtype)})"
    if value.dtype.kind == "c":
        return f"tf.constant(random.normal(size={tuple(shape)}), {type_name(dtype)})"
    if value.dtype.kind in "iu":
        numbers = f"random.integers({int(value.min())}, {int(value.max()) + 1}, {tuple(shape)})"
        return f"tf.constant({numbers}, {type_name(dtype)})"
    raise Unsupported(f"constant {node.name} of type {value.dtype} is too large to be written")


def constant_of(node: Node) -> Any:
    """The array of a Const."""
    import tensorflow as tf

    return tf.make_ndarray(node.definition.attr["value"].tensor)


def is_drawn(node: Node) -> bool:
    """Whether `literal` has random numbers in the place of a constant."""
    return node.op == "Const" and "random." in literal(node)


def _scalar(value: Any, dtype: int) -> str:
    said = repr(value.item() if hasattr(value, "item") else value)
    if "nan" in said or "inf" in said:
        return f"tf.constant(float('{said}'), {type_name(dtype)})"
    return said if dtype in _PLAIN else f"tf.constant({said}, {type_name(dtype)})"


def expression(graph: Graph, node: Node, given: Sequence[str], known: Mapping[str, str]) -> str:
    """The op on its inputs, which are expressions too; `known` has those of all tensors so far.

    Raises Unsupported for an op that refers to functions.
    """
    if node.op in _BINARY and not all(_is_bare(g) for g in given):
        return f" {_BINARY[node.op]} ".join(_grouped(g) for g in given)
    if node.op == "Neg" and not _is_bare(given[0]):
        return f"-{_grouped(given[0])}"
    if node.op == "Cast":
        return f"tf.cast({given[0]}, {type_name(int(node.definition.attr['DstT'].type))})"
    if node.op == "Shape" and node.definition.attr["out_type"].type in (0, 3):
        return f"tf.shape({given[0]})"
    if node.op == "Pack":
        axis = int(node.definition.attr["axis"].i)
        return f"tf.stack([{', '.join(given)}]" + (f", {axis})" if axis else ")")
    if node.op == "GatherV2" and not node.definition.attr["batch_dims"].i:
        return f"tf.gather({given[0]}, {given[1]}" + (")" if given[2] == "0" else f", axis={given[2]})")
    if node.op == "ConcatV2":
        return f"tf.concat([{', '.join(given[:-1])}], {given[-1]})"
    if node.op == "AddN":
        return given[0] if len(given) == 1 else f"tf.add_n([{', '.join(given)}])"
    if node.op in _REDUCTIONS:
        return _reduction(graph, node, given)
    if node.op == "StridedSlice":
        sliced = _sliced(graph, node, given, known)
        if sliced is not None:
            return sliced
    if _CALLS.get(node.op) is not None and not (node.op == "Complex" and all(map(_is_bare, given))):
        return f"{_CALLS[node.op]}({', '.join(given)})"
    return _raw(graph, node, given)


def _is_bare(said: str) -> bool:
    """A Python number or list, which no operator makes a tensor of."""
    return said[:1] in "[-0123456789" or said in ("True", "False")


def _grouped(said: str) -> str:
    return f"({said})" if " " in said and not said.endswith(")") else said


def spoken_for(graph: Graph) -> set[str]:
    """Nodes that only say "all axes" to a reduction, for which Python has no words."""
    users: dict[str, set[str]] = {}
    for node in graph.nodes.values():
        for tensor in node.inputs:
            users.setdefault(split(tensor)[0], set()).add(node.name)
    reductions = {n.name for n in graph.nodes.values() if n.op in _REDUCTIONS and _all_axes(graph, n)}
    axes = {n.name for n in graph.nodes.values() if n.op == "Range" and n.name in users and users[n.name] <= reductions}
    ranks = {n.name for n in graph.nodes.values() if n.op == "Rank" and n.name in users and users[n.name] <= axes}
    return (axes | ranks) - {split(t)[0] for t in graph.outputs}


def _all_axes(graph: Graph, node: Node) -> bool:
    axes = graph.nodes[split(node.inputs[1])[0]]
    return axes.op == "Range" and graph.nodes[split(axes.inputs[1])[0]].op == "Rank"


def _reduction(graph: Graph, node: Node, given: Sequence[str]) -> str:
    name = f"tf.reduce_{node.op.lower()}"
    keep = ", keepdims=True" if node.definition.attr["keep_dims"].b else ""
    if _all_axes(graph, node):
        return f"{name}({given[0]}{keep})"
    return f"{name}({given[0]}, {given[1]}{keep})"


def _sliced(graph: Graph, node: Node, given: Sequence[str], known: Mapping[str, str]) -> str | None:
    """`x[a:b, 0]`, where begin, end and strides are constants or stacks of scalars."""
    attributes = node.definition.attr
    if _is_bare(given[0]):
        return None
    begin, end, step = (_scalars(graph, t, known) for t in node.inputs[1:])
    if begin is None or end is None or step is None or not len(begin) == len(end) == len(step):
        return None
    if any(s != "1" for s in step):
        return None
    parts = []
    for i, (low, high) in enumerate(zip(begin, end, strict=True)):
        if attributes["ellipsis_mask"].i >> i & 1:
            parts.append("...")
            continue
        if attributes["new_axis_mask"].i >> i & 1:
            parts.append("None")
            continue
        if attributes["shrink_axis_mask"].i >> i & 1:
            parts.append(str(low))
            continue
        first = "" if attributes["begin_mask"].i >> i & 1 else str(low)
        last = "" if attributes["end_mask"].i >> i & 1 else str(high)
        parts.append(f"{first}:{last}")
    return f"{given[0]}[{', '.join(parts)}]"


def _scalars(graph: Graph, tensor: str, known: Mapping[str, str]) -> list[str] | None:
    """The elements of a vector as expressions, where it is a constant or a stack of scalars."""
    import tensorflow as tf

    node = graph.nodes[split(tensor)[0]]
    if node.op == "Pack" and not node.definition.attr["axis"].i:
        return [known[t] for t in node.inputs]
    if node.op != "Const":
        return None
    return [str(int(n)) for n in np.atleast_1d(tf.make_ndarray(node.definition.attr["value"].tensor))]


def _raw(graph: Graph, node: Node, given: Sequence[str]) -> str:
    """`tf.raw_ops.Op(argument=..., attribute=...)`: inputs and attributes by name, what types say is left out."""
    import tensorflow as tf

    function = getattr(tf.raw_ops, node.op, None)
    if function is None:
        raise Unsupported(f"op {node.op} (node {node.name}) has no name in tf.raw_ops")
    definition = opdefs.definition_of(node.definition, graph.functions)
    parameters = [p for p in inspect.signature(function).parameters if p != "name"]
    inferred = {a for i in definition.input_arg for a in (i.type_attr, i.number_attr, i.type_list_attr) if a}
    attributes = [a for a in definition.attr if a.name not in inferred and not a.name.startswith("_")]
    own = {i.name for i in definition.input_arg} | {a.name for a in attributes}
    spare = [p for p in parameters if p not in own]  # the API calls some inputs by another name than the op does
    rest = list(given)
    said = []
    for argument in definition.input_arg:
        name = argument.name if argument.name in parameters else (spare.pop(0) if spare else argument.name)
        count = _length(argument, node)
        taken, rest = rest[: count or 1], rest[count or 1 :] if count != 0 else rest
        said.append(f"{name}=[{', '.join(taken if count else [])}]" if count is not None else f"{name}={taken[0]}")
    for attribute in attributes:
        name = attribute.name if attribute.name in parameters else (spare.pop(0) if spare else None)
        if name is None or attribute.name not in node.definition.attr:
            continue
        value = node.definition.attr[attribute.name]
        if not attribute.HasField("default_value") or value != attribute.default_value:
            said.append(f"{name}={_attribute(value, node)}")
    return f"tf.raw_ops.{node.op}({', '.join(said)})"


def _length(argument: Any, node: Node) -> int | None:
    """How many tensors an input takes; None if just one, not in a list."""
    if argument.number_attr:
        return int(node.definition.attr[argument.number_attr].i)
    if argument.type_list_attr:
        return len(node.definition.attr[argument.type_list_attr].list.type)
    return None


def _attribute(value: Any, node: Node) -> str:
    kind = value.WhichOneof("value")
    if kind == "type":
        return type_name(int(value.type))
    if kind in ("i", "f", "b"):
        return repr(getattr(value, kind))
    if kind == "s":
        return repr(value.s.decode("utf-8", "replace"))
    if kind == "shape":
        return _shape(value.shape)
    if kind == "list":
        found = value.list
        if found.type:
            return f"[{', '.join(type_name(int(t)) for t in found.type)}]"
        if found.shape:
            return f"[{', '.join(_shape(s) for s in found.shape)}]"
        if found.s:
            return repr([s.decode("utf-8", "replace") for s in found.s])
        return repr([*found.i, *found.f, *found.b])
    raise Unsupported(f"node {node.name} ({node.op}) refers to a function, which a script cannot say")


def _shape(shape: Any) -> str:
    return "None" if shape.unknown_rank else str([None if d.size < 0 else int(d.size) for d in shape.dim])
