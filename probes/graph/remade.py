"""One op, made once more from what is recorded of it: its type, its attributes, and what its inputs were.

A graph refuses an op by types and shapes alone: nothing is run, and a size that was not known stays unknown. An eager
op is run on zeros. No size is ever made up: `guessed`, which every answer has, names the inputs of which one would be.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from .. import compat_graph
from ..protocol.answers import Error, Remade
from ..protocol.requests import RemakeOp
from .errors import Refused
from .safety import safe_ops

_MESSAGE = 4000
_MOST_ELEMENTS = 1 << 22
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|\[[^\]]*\]|[^,\s][^,]*')
_TYPE = re.compile(r"DT_[A-Z0-9_]+")
_FIELDS = {"int": "i", "float": "f", "bool": "b", "type": "type", "string": "s"}


_SHAPES_ALONE = frozenset(
    {
        "Add", "AddN", "AddV2", "Atan2", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "BiasAdd", "Div", "Equal",
        "FloorDiv", "Greater", "GreaterEqual", "Less", "LessEqual", "LogicalAnd", "LogicalOr", "MatMul", "Maximum",
        "Minimum", "Mul", "NotEqual", "Pack", "Pow", "RealDiv", "SelectV2", "SquaredDifference", "Sub",
    }
)  # fmt: skip
"""Ops that refuse their inputs for shapes and types alone when they run."""


def remade(request: RemakeOp) -> Remade:
    """What came of making an op. Attributes are as TensorFlow writes them, inputs {"shape", "dtype", "value"} or null.

    Raises:
        Refused: the op may not run, or not all is known of it.
    """
    import tensorflow as tf

    name = request.type
    definition = compat_graph.op_definition(name) if name in safe_ops() else None
    if definition is None:
        raise Refused(f"op {name} is not on the list of ops that may be made again")
    inputs = [dict(i) for i in request.inputs]
    guessed = [i for i, one in enumerate(inputs) if request.eager and None in (one.get("shape") or [None])]
    if guessed:
        return Remade(error=None, guessed=tuple(guessed))
    make = _run if request.eager else _add
    error = make(tf, definition, dict(request.attributes or {}), inputs)
    refusal = None if error is None else Error(type(error).__name__, str(error)[:_MESSAGE])
    return Remade(error=refusal, guessed=())


def _add(tf: Any, definition: Any, attributes: dict[str, str], inputs: list[dict[str, Any]]) -> Exception | None:
    """What comes of adding the op to a graph of placeholders and constants."""
    graph = tf.compat.v1.GraphDef()
    graph.versions.producer = tf.version.GRAPH_DEF_VERSION
    node = tf.compat.v1.NodeDef(name="again", op=definition.name)
    for key, text in attributes.items():
        if not key.startswith("_"):
            _attribute(tf, node, definition, key, text)
    with tf.Graph().as_default() as known:
        for i, (one, dtype) in enumerate(zip(inputs, _dtypes(definition, node, len(inputs)), strict=True)):
            if one.get("value") is not None:
                tf.constant(one["value"], dtype, shape=one["shape"], name=f"input{i}")
            else:
                tf.compat.v1.placeholder(dtype, one["shape"], name=f"input{i}")
            node.input.append(f"input{i}")
        graph.CopyFrom(known.as_graph_def())
    graph.node.append(node)
    try:
        with tf.Graph().as_default():
            tf.graph_util.import_graph_def(graph, name="")
    except (ValueError, tf.errors.OpError) as error:
        return error
    return None


def _run(tf: Any, definition: Any, attributes: dict[str, str], inputs: list[dict[str, Any]]) -> Exception | None:
    """What comes of running the op on zeros."""
    if definition.name not in _SHAPES_ALONE:
        raise Refused(f"whether op {definition.name} fails may depend on values")
    if attributes or any(math.prod(one["shape"]) > _MOST_ELEMENTS for one in inputs):
        raise Refused("not all is known of the op, or it is too large to be made again")
    given = [tf.zeros(one["shape"], one["dtype"]) for one in inputs]
    arguments: Sequence[Any] = definition.input_arg
    if len(arguments) == 1 and arguments[0].number_attr:
        given = [given]
    if len(arguments) != len(given):
        raise Refused("not every input is known")
    try:
        with tf.device("CPU:0"):
            getattr(tf.raw_ops, definition.name)(**{a.name: t for a, t in zip(arguments, given, strict=True)})
    except (TypeError, ValueError, tf.errors.OpError) as error:
        return error
    return None


def _attribute(tf: Any, node: Any, definition: Any, key: str, text: str) -> None:
    """Set an attribute of a node from the text that TensorFlow's messages show of it."""
    kind = next((str(a.type) for a in definition.attr if a.name == key), "")
    many = kind.startswith("list(")
    single = kind[len("list(") : -1] if many else kind
    value = node.attr[key]
    try:
        if "..." in text:  # TensorFlow cuts long ones
            raise ValueError(text)
        if kind == "shape":
            value.shape.CopyFrom(tf.TensorShape(_shape(text)).as_proto())
        elif many:
            value.list.SetInParent()
            parts = _PARTS.findall(text[1:-1])
            getattr(value.list, _FIELDS[single]).extend(_scalar(tf, single, part) for part in parts)
        else:
            setattr(value, _FIELDS[single], _scalar(tf, single, text))
    except (KeyError, ValueError, TypeError) as error:
        raise Refused(f"attribute {key} = {text} cannot be read") from error


def _scalar(tf: Any, kind: str, text: str) -> Any:
    text = text.strip()
    if kind == "string":
        return text.strip('"').encode().decode("unicode_escape").encode("latin-1")
    if kind == "bool":
        return {"true": True, "false": False}[text]
    if kind == "type":
        if not _TYPE.fullmatch(text):
            raise ValueError(text)
        return tf.dtypes.as_dtype(text[3:].lower()).as_datatype_enum
    return int(text) if kind == "int" else float(text)


def _shape(text: str) -> list[int | None] | None:
    if text == "<unknown>":
        return None
    return [None if part.strip() in ("?", "-1") else int(part) for part in text.strip("[]").split(",") if part.strip()]


def _dtypes(definition: Any, node: Any, count: int) -> list[int]:
    """The type of each input, by the definition of the op and the attributes of the node."""
    found: list[int] = []
    for one in definition.input_arg:
        if one.type_list_attr:
            found += list(node.attr[one.type_list_attr].list.type)
            continue
        dtype = one.type or node.attr[one.type_attr].type
        found += [dtype] * (int(node.attr[one.number_attr].i) if one.number_attr else 1)
    if len(found) != count or 0 in found:
        raise Refused("not every input is known")
    return found
