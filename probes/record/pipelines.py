"""The recorded graph of a dataset: of it a worker makes a batch once more, where nothing but TensorFlow takes part.

Nothing is taken from an iterator and no element is made here: TensorFlow writes down how the dataset is put together.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import compat, compat_data

_MOST = 200
_FILES = ("Record", "TextLine", "FixedLength", "Csv", "Sql", "ListFiles", "Snapshot", "Load")
_ARRAYS = ("TensorSlice", "TensorDataset")
_WITHOUT = ("Range", "Random")
_CALLS_PYTHON = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc", "GeneratorDataset"})
_FUNCTION = "StructuredFunctionWrapper"


class Unwritten(Exception):
    """The graph of a dataset is not kept, and why."""


def size_of(dataset: Any) -> int:
    """The bytes of the arrays that its graph holds.

    Raises:
        Unwritten: its elements hang on something that is not in the graph.
    """
    size = 0
    for number, part in enumerate(_parts(dataset)):
        if number >= _MOST:
            raise Unwritten("its dataset is made of too many others")
        name = type(part).__name__
        if any(word in name for word in _FILES):
            raise Unwritten("its dataset reads files, which may be others by now")
        if not part._inputs():
            if any(word in name for word in _ARRAYS):
                size += sum(map(_bytes_of, part._tensors))
            elif not any(word in name for word in _WITHOUT):
                raise Unwritten(f"its dataset begins with a {name.strip('_')}")
        for value in list(vars(part).values()):
            if type(value).__name__ == _FUNCTION:
                size += _size_of_function(value.function)
    return size


def graph_of(dataset: Any) -> Any:
    """The graph as bytes in an array of NumPy.

    Raises:
        Unwritten: TensorFlow does not write it down.
    """
    import numpy as np  # not before the target has it

    try:
        return np.frombuffer(compat_data.serialized(dataset), np.uint8)
    except Exception as error:
        raise Unwritten(f"the graph of its dataset could not be written down ({type(error).__name__})") from None


def _parts(dataset: Any) -> Iterator[Any]:
    waiting, seen = [dataset], set()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        yield part
        waiting += part._inputs()


def _size_of_function(function: Any) -> int:
    size = 0
    for tensor in function.captured_inputs:
        size += _bytes_of(tensor)
    for operation in function.graph.get_operations():
        if operation.type in _CALLS_PYTHON:
            raise Unwritten("its dataset calls Python")
        if operation.type == "Const":
            output = operation.outputs[0]
            size += compat.bytes_of_spec(output.dtype.name, compat.dims(output.shape)) if _is_plain(output) else 0
    return size


def _bytes_of(tensor: Any) -> int:
    if not _is_plain(tensor):
        raise Unwritten(f"its dataset holds a {tensor.dtype.name} that is no array of numbers")
    return compat.bytes_of(tensor)


def _is_plain(tensor: Any) -> bool:
    return tensor.dtype.name not in ("resource", "variant", "string")
