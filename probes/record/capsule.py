"""Writing a capsule: what a failing call needs to be run again elsewhere, without the user's code and data.

Runs in the target's process, at the moment when a top-level function has been traced (`write_capsule`), and
once more after a failure (`write_values`). It adds no operation to any graph. The format is in
`docs/architecture.md`; `probes.graph.load` reads it.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import compat, compat_graph, redaction
from ..schema import CAPSULE_SCHEMA, later_file
from .disk import new_file, write_file
from .frames import is_user_file

_JIT = "_XlaMustCompile"
_ITERATOR_OPS = frozenset({"IteratorGetNext", "IteratorGetNextSync", "IteratorGetNextAsOptional"})
_OWN = str(Path(__file__).resolve().parent.parent)

DEFAULT_VALUE_BYTES = 512 * 1024 * 1024


def folder_name(process: str, number: int, function: Any) -> str:
    """`<process>-<n>-<function>`: the folder of a capsule in `capsules` of a run folder."""
    graph = getattr(function, "graph", None) or function
    return f"{process}-{number}-{re.sub(r'[^A-Za-z0-9_.-]', '_', str(graph.name))[:80]}"


def write_capsule(
    folder: Path,
    function: Any,
    *,
    graph_uid: str,
    graphs: Mapping[str, Sequence[str]],
    python_name: str | None = None,
    xla: bool | None = None,
) -> dict[str, Any]:
    """Write the files of `contents` into a folder; return what is in `capsule.json`. Raises NotWritten as well."""
    folder.mkdir(parents=True, exist_ok=True)
    files = contents(folder.name, function, graph_uid=graph_uid, graphs=graphs, python_name=python_name, xla=xla)
    for name, data in files.items():
        write_file(folder / name, data)
    written: dict[str, Any] = json.loads(files["capsule.json"])
    return written


def contents(
    name: str,
    function: Any,
    *,
    graph_uid: str,
    graphs: Mapping[str, Sequence[str]],
    python_name: str | None = None,
    xla: bool | None = None,
) -> dict[str, bytes]:
    """`graph.pb.gz`, `sources.json.gz` and `capsule.json` of a traced function, for the capsule `name`.

    `function` is a `ConcreteFunction`, or the bare `FuncGraph` of a trace that did not finish. `graph_uid` is the uid
    of its graph, `graphs` says which library functions were made from which graph (uid -> names; functions that it does
    not know get a uid of their own). The JSON file comes last, so a folder that has it is complete. Raises whatever
    TensorFlow raises: the recorder's guard is the place to catch it.
    """
    graph = getattr(function, "graph", None) or function
    library = compat_graph.library_functions(graph)
    found = _graphs(graph, library, graph_uid, graphs)
    sources = {uid: sources_of(member) for uid, member in found.members.items()}
    variables = {id(v.handle): v for member in found.members.values() for v in compat_graph.graph_variables(member)}
    capsule: dict[str, Any] = {
        "schema": CAPSULE_SCHEMA,
        "id": name,
        "function": _name_of(function, graph),
        "python_name": python_name or str(graph.name),
        "graph": graph_uid,
        "xla": _is_jit(function) if xla is None else xla,
        "complete": graph is not function,
        "inputs": [_input(i, t, c, library, variables) for i, (t, c) in enumerate(_inputs_and_captures(graph))],
        "outputs": [str(t.name) for t in graph.outputs if t is not None],
        "graphs": found.functions,
        "arguments": found.arguments,
        "versions": versions(),
    }
    return {
        "graph.pb.gz": gzip.compress(graph.as_graph_def().SerializeToString(), 1),
        "sources.json.gz": packed(sources),
        "capsule.json": lines(capsule),
    }


def packed(value: Any) -> bytes:
    """A JSON file, compressed."""
    return gzip.compress(json.dumps(value, separators=(",", ":")).encode(), 1)


def lines(value: Any) -> bytes:
    """A JSON file that a person may read; without the secrets of messages in it."""
    return (json.dumps(redaction.of_strings(value), indent=1) + "\n").encode()


def write_values(
    folder: Path,
    function: Any,
    *,
    data: Sequence[Any] = (),
    variables: Sequence[Any] | None = None,
    recipe: Mapping[str, Any],
    max_bytes: int = DEFAULT_VALUE_BYTES,
) -> dict[str, Any]:
    """Write `values.npz` and `recipe.json`; return the recipe.

    `data` are the flat tensors of the batch (when the graph takes it from an iterator) or of the call, in
    signature order and without captures. `variables` are the `tf.Variable`s whose content of this moment is
    kept; None means all that the function captured. `recipe` says where the values come from; `kept` and
    `missing` are added to it. What does not fit into `max_bytes` is left out, and `missing` says so.
    """
    graph = getattr(function, "graph", None) or function
    pairs = _inputs_and_captures(graph)
    saved = _Saved(max_bytes)
    arguments = [i for i, (_, capture) in enumerate(pairs) if capture is None]
    if any(
        t.dtype.name == "resource" and compat_graph.handle_spec(t) is None for t, capture in pairs if capture is None
    ):
        for i, item in enumerate(data):
            saved.keep(f"data:{i}", item)
    elif len(data) == len(arguments):
        for i, item in zip(arguments, data, strict=True):
            saved.keep(f"input:{i}", item)
    elif data:
        saved.missing["data"] = f"the call has {len(data)} tensors, the signature {len(arguments)}"

    wanted = None if variables is None else {id(v.handle) for v in variables}
    for i, (placeholder, capture) in enumerate(pairs):
        if capture is None:
            continue
        spec = compat_graph.handle_spec(capture) or compat_graph.handle_spec(placeholder)
        if spec is None:
            if placeholder.dtype.name not in ("resource", "variant"):
                saved.keep(f"input:{i}", capture)
        elif wanted is None or id(capture) in wanted:
            saved.keep(f"input:{i}", functools.partial(compat_graph.read_variable, capture, spec[0]))

    return save(folder, saved.arrays, {**recipe, "kept": sorted(saved.arrays), "missing": saved.missing}, max_bytes)


def save(folder: Path, arrays: Mapping[str, Any], recipe: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """Write `values.npz` and `recipe.json`; return the recipe. Raises NotWritten.

    A process that is killed while it writes leaves no half of a file under the name that is read.
    """
    with new_file(folder / "values.npz", max_bytes + overhead(len(arrays))) as file:
        np.savez(file, **arrays)
    write_file(folder / "recipe.json", lines(recipe))
    return recipe


def save_later(folder: Path, arrays: Mapping[str, Any], call: int, max_bytes: int) -> None:
    """Write the values of a later call beside those of the first. Raises NotWritten."""
    with new_file(folder / later_file(call), max_bytes + overhead(len(arrays))) as file:
        np.savez(file, **arrays)


def overhead(arrays: int) -> int:
    """Bytes of `values.npz` and `recipe.json` beside the arrays, at most."""
    return 8192 + 2048 * arrays


def size_of_values(function: Any, data: Sequence[Any], variables: Sequence[Any]) -> int:
    """Bytes of what `write_values` would keep."""
    graph = getattr(function, "graph", None) or function
    wanted = {id(v.handle) for v in variables}
    total, arrays = sum(compat.bytes_of(item) for item in data), len(data)
    for placeholder, capture in _inputs_and_captures(graph):
        spec = (
            (compat_graph.handle_spec(capture) or compat_graph.handle_spec(placeholder))
            if capture is not None
            else None
        )
        if spec is not None:
            total += compat.bytes_of_spec(*spec) if id(capture) in wanted else 0
        elif capture is not None and placeholder.dtype.name not in ("resource", "variant"):
            total += compat.bytes_of(capture)
        arrays += 1
    return total + overhead(arrays)


class _Saved:
    """Arrays for a values file, up to a limit of bytes; what could not be kept is named with the reason."""

    def __init__(self, limit: int) -> None:
        self.limit = self.room = limit
        self.arrays: dict[str, np.ndarray[Any, Any]] = {}
        self.missing: dict[str, str] = {}

    def keep(self, key: str, value: Any) -> None:
        try:
            array = storable(value() if isinstance(value, functools.partial) else value)
        except Exception as error:
            self.missing[key] = f"{type(error).__name__}: {error}"[:200]
            return
        if array.nbytes > self.room:
            self.missing[key] = f"{array.nbytes} bytes are beyond the limit of {self.limit}"
            return
        self.room -= array.nbytes
        self.arrays[key] = array


def sources_of(graph: Any) -> dict[str, list[list[Any]]]:
    """{node: [[file, line, function], ...]}: the user frames that created each operation, innermost last.

    Operations that were made by one line of user code share one C++ stack, so each distinct stack is converted once: a
    train step of 4700 operations has some 220. Most of the cost is TensorFlow's own, when it first looks up the lines.
    """
    machinery = _machinery()
    seen: dict[Any, list[list[Any]]] = {}
    frames: dict[str, list[list[Any]]] = {}
    for operation in graph.get_operations():
        stack = compat_graph.user_frames(operation)
        if stack not in seen:
            seen[stack] = _readable(stack, machinery)
        frames[str(operation.name)] = seen[stack]
    return frames


def frames_of(operation: Any) -> list[dict[str, Any]]:
    """The user frames that created one operation of a graph, innermost first."""
    frames = _readable(compat_graph.user_frames(operation), _machinery())
    found = [{"file": file, "line": line, "function": name} for file, line, name in reversed(frames)]
    return [f for f in found if is_user_file(f["file"])]


def storable(value: Any) -> np.ndarray[Any, Any]:
    """An array that `numpy.save` can write without pickle: strings as fixed-width bytes, bfloat16 and the
    like as raw bits.
    """
    array = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
    if array.dtype.hasobject:
        return np.asarray(array, dtype="S")
    if array.dtype.kind == "V" or array.dtype.isbuiltin == 2:
        return array.view(f"u{array.dtype.itemsize}")
    return array


def _readable(stack: Iterable[Any], machinery: tuple[str, ...]) -> list[list[Any]]:
    return [
        [redaction.of_text(str(frame.filename)), int(frame.lineno), str(frame.name)]
        for frame in stack
        if not str(frame.filename).startswith(machinery)
    ]


def _machinery() -> tuple[str, ...]:
    """Where the frames stand in which nobody looks for their own line: TensorFlow, Keras and the probes
    themselves.
    """
    folders = [_OWN + os.sep, "<"]
    for name in ("tensorflow", "keras", "tf_keras"):
        file = getattr(sys.modules.get(name), "__file__", None)
        if file:
            folders.append(str(Path(file).parent) + os.sep)
    return tuple(folders)


class _Graphs:
    """The Python graphs of a library: uid -> graph, uid -> names of library functions, function -> names of
    its placeholders.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.members: dict[str, Any] = {}
        self.functions: dict[str, list[str]] = {}
        self.arguments: dict[str, list[str]] = {}


def _graphs(graph: Any, library: Mapping[str, Any], top: str, known: Mapping[str, Sequence[str]]) -> _Graphs:
    uids = {name: uid for uid, names in known.items() for name in names}
    uids.update({name: top for name, function in library.items() if getattr(function, "graph", None) is graph})
    graphs = _Graphs(top)
    graphs.members[top] = graph
    graphs.functions[top] = []
    by_graph: dict[int, str] = {}
    for name, function in library.items():
        member = getattr(function, "graph", None)
        if member is None:
            continue
        uid = uids.get(name) or by_graph.setdefault(id(member), f"unseen:{name}")
        graphs.members.setdefault(uid, member)
        graphs.functions.setdefault(uid, []).append(name)
        graphs.arguments[name] = [str(t.op.name) for t in member.inputs]
    return graphs


def _inputs_and_captures(graph: Any) -> list[tuple[Any, Any]]:
    """The placeholders of a graph in signature order, each with what was captured for it (None for an
    argument).
    """
    captured = {id(internal): external for external, internal in graph.captures}
    # While a function is traced, the handle of a variable that it is given stands in the place of its placeholder.
    placeholder = {id(external): internal for external, internal in graph.captures}
    inputs = [placeholder.get(id(t), t) for t in graph.inputs]
    return [(t, captured.get(id(t))) for t in inputs if hasattr(t, "graph")]


def _input(
    index: int, tensor: Any, capture: Any, library: Mapping[str, Any], variables: Mapping[int, Any]
) -> dict[str, Any]:
    kind, variable = "tensor", None
    if tensor.dtype.name in ("resource", "variant"):
        spec = (compat_graph.handle_spec(capture) if capture is not None else None) or compat_graph.handle_spec(tensor)
        if spec is not None:
            kind, variable = "variable", _variable(variables.get(id(capture)), spec)
        else:
            kind = "iterator" if _feeds_iterator(tensor, library, set()) else "resource"
    has_value = kind in ("tensor", "variable") and tensor.dtype.name != "variant"
    return {
        "name": str(tensor.op.name),
        "dtype": str(tensor.dtype.name),
        "shape": compat.dims(tensor.shape),
        "kind": kind,
        "variable": variable,
        "value": f"input:{index}" if has_value else None,
        "captured": capture is not None,
    }


def _variable(found: Any, spec: tuple[str, Any]) -> dict[str, Any]:
    return {
        "name": str(found.name) if found is not None else None,
        "dtype": spec[0],
        "shape": spec[1],
        "trainable": bool(found.trainable) if found is not None else None,
    }


def _feeds_iterator(tensor: Any, library: Mapping[str, Any], seen: set[int]) -> bool:
    """True if an iterator op consumes this resource, here or in a function that it is handed to."""
    if id(tensor) in seen:
        return False
    seen.add(id(tensor))
    for consumer in tensor.consumers():
        if consumer.type in _ITERATOR_OPS:
            return True
        position = next((i for i, t in enumerate(consumer.inputs) if t is tensor), None)
        for name in _functions_of(consumer):
            member = getattr(library.get(name), "graph", None)
            # The last inputs of a call are those of its function: If has its predicate in front.
            if member is None or position is None:
                continue
            inner = position - (len(consumer.inputs) - len(member.inputs))
            if 0 <= inner < len(member.inputs) and _feeds_iterator(member.inputs[inner], library, seen):
                return True
    return False


def _functions_of(operation: Any) -> list[str]:
    names = [operation.type]
    for value in operation.node_def.attr.values():
        if value.HasField("func"):
            names.append(value.func.name)
        names.extend(f.name for f in value.list.func)
    return names


def _name_of(function: Any, graph: Any) -> str:
    name = getattr(function, "name", None) or graph.name
    return name.decode() if isinstance(name, bytes) else str(name)


def _is_jit(function: Any) -> bool:
    definition = getattr(function, "function_def", None)
    return bool(definition is not None and _JIT in definition.attr and definition.attr[_JIT].b)


def versions() -> dict[str, str | None]:
    """What a capsule says of the interpreter that made it."""

    def version(name: str) -> str | None:
        module = sys.modules.get(name)
        return str(getattr(module, "__version__", None)) if module is not None else None

    return {
        "tensorflow": version("tensorflow"),
        "keras": version("keras"),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
