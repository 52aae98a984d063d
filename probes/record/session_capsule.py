"""The capsule of a failing `Session.run`: the part of the graph that the fetches need, with what was fed.

A session's graph has no signature. Its inputs here are the tensors that were fed, and its variables: both become
placeholders of the capsule's graph, as they are in the graph of a function. Nothing is added to the user's graph.
"""

from __future__ import annotations

import gzip
import sys
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from .. import compat
from ..schema import CAPSULE_SCHEMA
from . import capsule as capsules

_HANDLES = ("VarHandleOp",)
_REFERENCES = ("VariableV2", "Variable", "TemporaryVariable")
MAX_BYTES = 64 * 1024 * 1024


def contents(
    name: str, graph: Any, fetches: Iterable[Any], feeds: Mapping[Any, Any], read: Any, graph_uid: str, values: bool
) -> tuple[dict[str, bytes], dict[str, Any], dict[str, Any]]:
    """The files of the capsule of one `Session.run`, as `capsule.contents` gives them, with the arrays and the recipe.

    `fetches` and the keys of `feeds` are tensors or operations of `graph`; `read(names)` gives the values of tensors
    that are there already (`Session.run` itself), and may fail; with `values` False nothing but the graph is kept.
    """
    wanted = list(fetches)
    outputs = [str(f.name) for f in wanted if ":" in str(f.name)]
    fed = {str(tensor.name): value for tensor, value in feeds.items() if ":" in str(getattr(tensor, "name", ""))}
    targets = [str(f.name).partition(":")[0] for f in wanted]
    definition = _subgraph(graph.as_graph_def(), targets)
    inputs, arrays, missing = _inputs(definition, graph, fed, read, values)
    document = {
        "schema": CAPSULE_SCHEMA,
        "id": name,
        "function": "Session.run",
        "python_name": "Session.run",
        "graph": graph_uid,
        "xla": False,
        "complete": True,
        "inputs": inputs,
        "outputs": outputs or [f"{t}:0" for t in targets if graph.get_operation_by_name(t).outputs],
        "graphs": {},
        "arguments": {},
        "versions": capsules.versions(),
    }
    recipe: dict[str, Any] = {"data": "exact", "variables": "after-failure", "rows": None, "batch_size": None}
    recipe |= {"note": None, "kept": sorted(arrays), "missing": missing}
    files = {
        "graph.pb.gz": gzip.compress(definition.SerializeToString(), 1),
        "sources.json.gz": capsules.packed({graph_uid: capsules.sources_of(graph)}),
        "capsule.json": capsules.lines(document),
    }
    return files, arrays, recipe


def _inputs(
    definition: Any, graph: Any, fed: Mapping[str, Any], read: Any, values: bool
) -> tuple[list[dict[str, Any]], dict[str, np.ndarray[Any, Any]], dict[str, str]]:
    """(inputs, their arrays, why some have none): what was fed, and the variables. In `definition` each of them becomes
    a placeholder.
    """
    inputs: list[dict[str, Any]] = []
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    missing: dict[str, str] = {}
    replaced = {name.partition(":")[0]: name for name in fed if name.endswith(":0")}
    for node in definition.node:
        node_name = str(node.name)
        if node_name in replaced:
            tensor = graph.get_tensor_by_name(f"{node_name}:0")
            given = fed[f"{node_name}:0"]
            key = f"input:{len(inputs)}"
            inputs.append(
                _entry(node_name, str(tensor.dtype.base_dtype.name), compat.dims(tensor.shape), "tensor", key)
            )
            _make_placeholder(node, tensor.dtype.base_dtype, tensor.shape)
            if values:
                _keep(arrays, missing, key, lambda v=given: capsules.storable(v))
        elif node.op in _HANDLES or node.op in _REFERENCES:
            dtype, shape = _variable_spec(node)
            key = f"input:{len(inputs)}"
            handle = node.op in _HANDLES
            entry = _entry(node_name, "resource" if handle else dtype, [] if handle else shape, "tensor", key)
            if handle:
                variable = {"name": node_name, "dtype": dtype, "shape": shape, "trainable": None}
                entry |= {"kind": "variable", "variable": variable}
            inputs.append(entry)
            existing = f"{node_name}/Read/ReadVariableOp:0" if handle else f"{node_name}:0"
            _make_placeholder(node, "resource" if handle else dtype, [] if handle else shape)
            if values:
                _keep(arrays, missing, key, lambda n=existing: capsules.storable(read(n)))
    return inputs, arrays, missing


def _entry(name: str, dtype: str, shape: list[int | None] | None, kind: str, key: str) -> dict[str, Any]:
    entry = {"name": name, "dtype": dtype, "shape": shape, "kind": kind, "variable": None, "value": key}
    return {**entry, "captured": False}


def _keep(arrays: dict[str, Any], missing: dict[str, str], key: str, value: Any) -> None:
    try:
        array = value()
    except Exception as error:
        missing[key] = f"{type(error).__name__}: {error}"[:200]
        return
    if array.nbytes + sum(a.nbytes for a in arrays.values()) > MAX_BYTES:
        missing[key] = f"beyond the limit of {MAX_BYTES} bytes"
        return
    arrays[key] = array


def _subgraph(definition: Any, nodes: list[str]) -> Any:
    """What `nodes` need, with the whole library of functions.

    TensorFlow has a function for it, which tells the user that it is deprecated.
    """
    needs = {str(n.name): [i.lstrip("^").partition(":")[0] for i in n.input] for n in definition.node}
    wanted: set[str] = set()
    ahead = [name for name in nodes if name in needs]
    while ahead:
        name = ahead.pop()
        if name not in wanted:
            wanted.add(name)
            ahead.extend(needs[name])
    part = type(definition)()
    part.node.extend(n for n in definition.node if n.name in wanted)
    part.library.CopyFrom(definition.library)
    part.versions.CopyFrom(definition.versions)
    return part


def _make_placeholder(node: Any, dtype: Any, shape: Any) -> None:
    """Turn a NodeDef into a Placeholder of this dtype and shape, under its own name."""
    tf = sys.modules["tensorflow"]
    name = str(node.name)
    node.Clear()
    node.name, node.op = name, "Placeholder"
    node.attr["dtype"].type = tf.dtypes.as_dtype(dtype).as_datatype_enum
    node.attr["shape"].shape.CopyFrom(tf.TensorShape(shape).as_proto())


def _variable_spec(node: Any) -> tuple[str, list[int | None] | None]:
    """(dtype, shape) of a variable's op."""
    tf = sys.modules["tensorflow"]
    shape = compat.dims(tf.TensorShape(node.attr["shape"].shape))
    return str(tf.dtypes.as_dtype(node.attr["dtype"].type).name), shape
