"""A capsule folder -> `Program`. Nothing is executed, nothing is unpickled."""

from __future__ import annotations

import dataclasses
import io
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..protocol.outcomes import Frames
from ..schema import CAPSULE_SCHEMA, LATER_CALLS, SAMPLE, later_file
from . import files
from .errors import BadCapsule
from .ir import Input

SEALS: dict[str, str] = {}
"""{capsule folder: what the doctor knows it by}: one that was changed since is not loaded."""

Array = np.ndarray[Any, Any]
Sources = Mapping[str, Mapping[str, list[list[Any]]]]

_FEW = (7, 11, 13, 5)

_ROLES = {"tensor": "argument", "variable": "variable", "iterator": "iterator", "resource": "resource"}


@dataclasses.dataclass(frozen=True)
class Program:
    """A traced top-level function with its library, its inputs, and as many of their values as were kept."""

    name: str
    python_name: str
    graph: Any
    uid: str
    xla: bool
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    graphs: Mapping[str, tuple[str, ...]]
    arguments: Mapping[str, tuple[str, ...]]
    sources: Sources
    values: Mapping[str, Array]
    recipe: Mapping[str, Any]
    versions: Mapping[str, Any]

    def frames(self, function: str, node: str) -> list[list[Any]]:
        """The user frames that created a node of a library function ("" is the top), innermost last."""
        uid = self.uid if not function else next((u for u, names in self.graphs.items() if function in names), None)
        return list(self.sources.get(uid or "", {}).get(node, []))

    def lines(self, function: str, node: str) -> Frames:
        """The same as the protocol has them."""
        return tuple((file, line, inside) for file, line, inside in self.frames(function, node))

    def find(self, node: str) -> list[dict[str, Any]]:
        """Where a node of this name stands: [{"function" ("" is the top), "frames"}, ...].

        Longer names ("call/inner") are tried from their end: what XLA calls "a/b/Reshape" may be Reshape in
        the function that a/b calls.
        """
        parts = node.split("/")
        for start in range(len(parts)):
            name = "/".join(parts[start:])
            found = [
                {"function": next(iter(self.graphs.get(uid, ())), ""), "frames": nodes[name]}
                for uid, nodes in self.sources.items()
                if name in nodes
            ]
            if found:
                return found
        return []


def load(folder: Path) -> Program:
    """Read a capsule folder; raises BadCapsule with the file that is at fault."""
    import tensorflow as tf

    contents = files.read_all(folder)
    seal = SEALS.get(str(folder.resolve()))
    if seal is not None and files.seal_of(contents) != seal:
        raise BadCapsule(f"{folder}: it was changed after the doctor looked at it")
    if "capsule.json" not in contents:
        raise BadCapsule(f"{folder / 'capsule.json'}: there is no such file")
    capsule = files.table(folder / "capsule.json", contents["capsule.json"])
    if capsule.get("schema") != CAPSULE_SCHEMA:
        raise BadCapsule(f"{folder / 'capsule.json'}: schema is {capsule.get('schema')!r}, not {CAPSULE_SCHEMA!r}")
    definition = tf.compat.v1.GraphDef()
    try:
        definition.ParseFromString(files.unpacked(folder / "graph.pb.gz", contents.get("graph.pb.gz", b"")))
    except BadCapsule:
        raise
    except Exception as error:
        raise BadCapsule(f"{folder / 'graph.pb.gz'}: no GraphDef ({error})") from error
    sources: Sources = {}
    if "sources.json.gz" in contents:
        file = folder / "sources.json.gz"
        sources = files.table(file, files.unpacked(file, contents["sources.json.gz"], files.LARGEST_SOURCES))
    recipe = files.table(folder / "recipe.json", contents["recipe.json"]) if "recipe.json" in contents else {}
    try:
        inputs = tuple(_input(entry) for entry in capsule["inputs"])
        return Program(
            name=str(capsule["function"]),
            python_name=str(capsule.get("python_name") or capsule["function"]),
            graph=definition,
            uid=str(capsule["graph"]),
            xla=bool(capsule.get("xla")),
            inputs=inputs,
            outputs=tuple(capsule["outputs"]),
            graphs={uid: tuple(names) for uid, names in capsule["graphs"].items()},
            arguments={name: tuple(names) for name, names in capsule.get("arguments", {}).items()},
            sources=sources,
            values=_values(folder / "values.npz", contents.get("values.npz")),
            recipe=recipe,
            versions=capsule.get("versions", {}),
        )
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError) as error:
        raise BadCapsule(f"{folder / 'capsule.json'}: {type(error).__name__}: {error}") from error


def load_sample(folder: Path) -> Program | None:
    """The program with a few rows of its data, its captured tensors and its small variables; None without such."""
    program = load(folder)
    data = files.read_all(folder).get(SAMPLE)
    return dataclasses.replace(program, values=_values(folder / SAMPLE, data)) if data is not None else None


def later_values(folder: Path) -> dict[int, dict[str, Array]]:
    """{number of a later call: its values} of a capsule, in order."""
    contents = files.read_all(folder)
    names = {call: later_file(call) for call in LATER_CALLS}
    return {call: _values(folder / name, contents[name]) for call, name in names.items() if name in contents}


def value_for(program: Program, item: Input, batch: int) -> tuple[Array, str]:
    """(value, "kept" or "random") of an input: what the capsule holds, cast to the type of the signature,
    or seeded noise.
    """
    kept = program.values.get(item.key or "")
    if kept is not None:
        rows = batch_of(program)
        if _is_open(item) and kept.ndim and kept.shape[0] and batch != rows and item.role != "variable":
            # Another batch size than the one that was kept: its first rows, or its rows over again. An input that
            # has several rows for each one of the batch (flattened positions) still has as many.
            times, rest = divmod(kept.shape[0], rows)
            kept = np.resize(kept, (batch * times if times and not rest else batch, *kept.shape[1:]))
        return as_dtype(kept, item.dtype), "kept"
    return _noise(item, batch), "random"


def without_values(program: Program) -> Program:
    """The program with seeded random data of the same range, shape and type in the place of the kept values."""
    return dataclasses.replace(program, values={key: _like(key, kept) for key, kept in program.values.items()})


def _like(key: str, kept: Array) -> Array:
    random = np.random.default_rng(zlib.crc32(key.encode()))
    if kept.dtype.kind == "b" or not kept.size or kept.dtype.kind not in "fciu":
        return np.asarray(np.zeros_like(kept))
    if kept.dtype.kind == "c":
        size = float(np.nanmax(np.abs(kept)))
        angle = random.uniform(-np.pi, np.pi, kept.shape)
        return np.asarray(random.uniform(0, size, kept.shape) * np.exp(1j * angle), kept.dtype)
    low, high = np.nanmin(kept), np.nanmax(kept)
    if kept.dtype.kind in "iu":
        return np.asarray(random.integers(low, high, kept.shape, dtype=kept.dtype, endpoint=True))
    wide = kept.astype(np.float64)
    low, high = float(np.nanmin(wide)), float(np.nanmax(wide))
    return np.asarray(random.uniform(low, high, kept.shape) if np.isfinite([low, high]).all() else wide * 0, kept.dtype)


def _is_open(item: Input) -> bool:
    """Whether the signature leaves the number of rows open."""
    return item.shape is None or (len(item.shape) > 0 and item.shape[0] is None)


def small_batch(program: Program) -> int:
    """Rows of a made-up batch: a prime number that no axis of an argument or a variable has, so that what has as many
    of something else is not taken for rows.
    """
    taken = {size for i in program.inputs for size in i.shape or ()}
    return next((few for few in _FEW if few not in taken), _FEW[0])


def batch_of(program: Program) -> int:
    """The number of rows of the kept batch: of an argument that leaves them open, else of the data, else as the recipe
    says, else what most arguments of a fixed size have; else 4.
    """
    arguments = [(i, program.values.get(i.key or "")) for i in program.inputs if i.role == "argument"]
    kept = [(i, v) for i, v in arguments if v is not None and v.ndim]
    for item, value in kept:
        if _is_open(item):
            return int(value.shape[0])
    for key in sorted(k for k in program.values if k.startswith("data:")):
        if program.values[key].ndim:
            return int(program.values[key].shape[0])
    if program.recipe.get("batch_size"):
        return int(program.recipe["batch_size"])
    # A vector alone may be anything: a table's rows are no batch, nor are the sizes of something.
    rows = [int(v.shape[0]) for _, v in kept if v.ndim > 1] or [int(v.shape[0]) for _, v in kept]
    sizes = [int(v.shape[0]) for _, v in kept]
    return max(rows, key=sizes.count) if rows else 4


def as_dtype(value: Array, dtype: int) -> Array:
    """An array as the tensor type `dtype`: raw bits of bfloat16 are bits, everything else is cast as Keras
    would.
    """
    import tensorflow as tf

    wanted = tf.dtypes.as_dtype(dtype).as_numpy_dtype
    if wanted is object:
        return value.astype(object)
    kind = np.dtype(wanted)
    if value.dtype.kind == "u" and kind.isbuiltin == 2 and value.dtype.itemsize == kind.itemsize:
        return value.view(kind)
    return np.asarray(value, dtype=kind)


def guessed_axes(item: Input, program: Program, batch: int | None) -> list[int] | None:
    """The axes of an input without a value whose sizes are made up; None where even their number is.

    Rows are not, if the caller names them or the recipe of the capsule does.
    """
    if item.shape is None:
        return None
    rows = batch is not None or bool(program.recipe.get("batch_size")) or any(v.ndim for v in program.values.values())
    return [axis for axis, n in enumerate(item.shape) if n is None and not (axis == 0 and rows)]


def _noise(item: Input, batch: int) -> Array:
    """Seeded by the input's name, so that two workers agree. Reals in [0, 1), integers 0 or 1."""
    import tensorflow as tf

    dims = item.shape or ()
    shape = tuple((batch if i == 0 else 1) if n is None else n for i, n in enumerate(dims))
    wanted = tf.dtypes.as_dtype(item.dtype)
    random = np.random.default_rng(zlib.crc32(item.name.encode()))
    if wanted == tf.string:
        return np.full(shape, b"", dtype=object)
    if wanted == tf.bool:
        return np.zeros(shape, dtype=bool)
    if wanted.is_integer:
        return random.integers(0, 2, size=shape).astype(wanted.as_numpy_dtype)
    if wanted.is_complex:
        return (random.random(shape) + 1j * random.random(shape)).astype(wanted.as_numpy_dtype)
    return random.random(shape).astype(wanted.as_numpy_dtype)


def _input(entry: Mapping[str, Any]) -> Input:
    import tensorflow as tf

    variable = entry.get("variable")
    spec = variable if entry["kind"] == "variable" and variable else entry
    shape = spec.get("shape")
    return Input(
        name=str(entry["name"]),
        dtype=int(tf.dtypes.as_dtype(spec["dtype"]).as_datatype_enum),
        shape=None if shape is None else tuple(shape),
        role=_ROLES[entry["kind"]],
        key=entry.get("value"),
        label=str(variable["name"]) if variable and variable.get("name") else None,
        captured=bool(entry.get("captured")),
    )


def _values(file: Path, data: bytes | None) -> dict[str, Array]:
    if data is None:
        return {}
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            if sum(info.file_size for info in archive.zip.infolist()) > files.LARGEST:
                raise BadCapsule(f"{file}: it unpacks to more than {files.LARGEST >> 30} GiB")
            return {key: archive[key] for key in archive.files}
    except (ValueError, OSError, zipfile.BadZipFile, zlib.error, EOFError, MemoryError, AttributeError) as error:
        raise BadCapsule(f"{file}: {error}") from error
