"""What the first call of each function that XLA compiled was given, kept in its capsule: a worker can then compare.

So it is of a function that calls a compiled one, as a Keras step does. Its batch comes from an iterator, from which
nothing is taken: the first rows of the arrays that were given to `fit` or `evaluate` stand for it.

TensorFlow hands a `ConcreteFunction` its tensors and the handles of its variables in one place, and only the first
call goes through here: from the second on nothing of ours is left at the function. Values are copied before the call,
since it may assign variables, and written once it has returned; in between nobody but this call's frame holds them.
"""

from __future__ import annotations

import sys
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import compat, schema
from .frames import hide, wraps
from .guard import Guard
from .shelf import Shelf

_clock = time.perf_counter

MAX_BYTES = 256 * 1024 * 1024
"""Of all functions of a process together."""
MAX_SECONDS = 0.5
"""Of our own work around the first calls, of all functions together."""
MAX_FUNCTIONS = 32
_RATE = 200e6
"""Bytes a second that copying and writing are taken to manage: what would need more time than is left is not begun."""


class Refused(Exception):
    """The values are not kept, and why."""


@dataclass(frozen=True)
class Batch:
    """The data of a Keras call that is under way, flat, and how many rows a batch of it has."""

    data: list[Any]
    size: int


@dataclass(frozen=True)
class _Before:
    arrays: dict[str, Any]
    bytes: int
    data: str
    """Whether the data are those of the call: exact, or redrawn."""


class FirstCalls:
    """Writes the values of first calls, and a `first-call` event for each: kept, or why not."""

    def __init__(self, guard: Guard, shelf: Shelf, batch: Callable[[], Batch | None] = lambda: None) -> None:
        self.guard = guard
        self.shelf = shelf
        self._batch = batch
        self._bytes = 0
        self._seconds = 0.0
        self._functions = 0

    def expect(self, folder: Path, concrete: Any) -> None:
        """Look at the first call of a function that was just traced, if XLA is to compile it or one that it calls."""
        if not (compat.must_compile(concrete) or compat.compiles_within(concrete)):
            return
        self._functions += 1
        if self._functions > MAX_FUNCTIONS:
            self._note(folder, f"only the first {MAX_FUNCTIONS} functions are looked at")
            return

        call = getattr(type(concrete), compat.FLAT_CALL)
        reference = weakref.ref(concrete)

        def watched(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            function = reference()
            if not sys.modules["tensorflow"].executing_eagerly():
                return call(function, *args, **kwargs)  # it becomes part of a graph, and computes nothing yet
            # Another thread may have got here as well.
            first = vars(function).pop(compat.FLAT_CALL, None) is not None
            before = self.guard.run("first call", self._before, folder, function, args, kwargs) if first else None
            try:
                result = call(function, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            if before is not None:
                self.guard.run("first call", self._after, folder, before)
            return result

        # An attribute of this one object stands before the method; it does not hold the object.
        setattr(concrete, compat.FLAT_CALL, wraps(call)(watched))

    def _before(self, folder: Path, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Before | None:
        started = _clock()
        try:
            given = _given(function, args, kwargs)
            yielded = _yielded(function.graph)
            batch = self._rows(yielded) if yielded is not None else []
            size = self._size(given, yielded is not None) + sum(map(compat.bytes_of, batch))
            self._check(size)
            return _Before(_copied(given, batch), size, "exact" if yielded is None else "redrawn")
        except Refused as why:
            self._note(folder, str(why))
            return None
        finally:
            self._seconds += _clock() - started

    def _rows(self, yielded: Sequence[Any]) -> list[Any]:
        """As many rows of the data of the Keras call under way as its step takes at a time, not copied yet."""
        batch = self._batch()
        if batch is None or not batch.data:
            raise Refused("its batch comes from an iterator, and no arrays are known that it is made of")
        if len(batch.data) != len(yielded):
            raise Refused(f"its iterator gives {len(yielded)} tensors, and the call was given {len(batch.data)} arrays")
        if any(shape is not None and len(shape) != len(a.shape) for shape, a in zip(yielded, batch.data, strict=True)):
            raise Refused("its iterator gives tensors of another rank than the arrays that the call was given")
        sizes = [shape[0] for shape in yielded if shape]
        rows = next((n for n in sizes if n is not None), batch.size)
        return [array[:rows] for array in batch.data]

    def _size(self, given: Sequence[tuple[Any, Any]], iterates: bool) -> int:
        size = 0
        for placeholder, value in given:
            spec = _variable(placeholder, value)
            if spec is None and iterates and placeholder.dtype.name == "resource":
                continue
            if spec is None and placeholder.dtype.name in ("resource", "variant", "string"):
                raise Refused(f"it takes a {placeholder.dtype.name} that is no variable")
            shape = compat.dims(value.shape) if spec is None else spec[1]
            if shape is None or None in shape:
                raise Refused("the size of a variable is not known")
            size += compat.bytes_of_spec(placeholder.dtype.name if spec is None else spec[0], shape)
        return size

    def _check(self, size: int) -> None:
        if self._bytes + size > MAX_BYTES:
            raise Refused(f"its values take {size} bytes, and {MAX_BYTES - self._bytes} are left")
        if self._seconds + size / _RATE > MAX_SECONDS:
            raise Refused(f"to keep its values would take longer than the {MAX_SECONDS} s for all functions allow")
        self._bytes += size

    def _after(self, folder: Path, before: _Before) -> None:
        from . import capsule as capsules  # imports numpy: not before the target has

        started = _clock()
        recipe: dict[str, Any] = {
            "data": before.data,
            "variables": "before-call",
            "rows": None,
            "batch_size": None,
            "note": "the first call, which went well",
            "kept": sorted(before.arrays),
            "missing": {},
        }
        size = sum(array.nbytes for array in before.arrays.values())
        room = size + capsules.overhead(len(before.arrays))

        def write(into: Path) -> None:
            capsules.save(into, before.arrays, recipe, size)

        kept = self.shelf.add_values(folder.name, room, write, needed=False)
        self._seconds += _clock() - started
        self._note(folder, None if kept else "the values could not be written", before.bytes)

    def _note(self, folder: Path, why: str | None, size: int | None = None) -> None:
        self.guard.sink.write(schema.FIRST_CALL, capsule=folder.name, kept=why is None, why=why, bytes=size)


def _copied(given: Sequence[tuple[Any, Any]], batch: Sequence[Any]) -> dict[str, Any]:
    from .capsule import storable

    arrays = {f"data:{i}": storable(value).copy() for i, value in enumerate(batch)}
    for i, (placeholder, value) in enumerate(given):
        spec = _variable(placeholder, value)
        if spec is None and placeholder.dtype.name == "resource":
            continue
        if spec is None:
            arrays[f"input:{i}"] = storable(value)
            continue
        try:
            arrays[f"input:{i}"] = storable(compat.read_variable(value, spec[0]))
        except Exception as error:
            raise Refused(f"a variable could not be read before the call ({type(error).__name__})") from None
    return arrays


def _given(concrete: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[Any, Any]]:
    """[(placeholder, what it is given)]: the arguments, then what was captured."""
    tensors, captured = [*args, *kwargs.values()][:2]
    given = [*tensors, *captured]
    if len(given) != len(concrete.graph.inputs):
        raise Refused(f"the call has {len(given)} tensors, the signature {len(concrete.graph.inputs)}")
    return list(zip(concrete.graph.inputs, given, strict=True))


def _yielded(graph: Any) -> list[list[int | None] | None] | None:
    """The shapes of what the iterator of a graph yields; None for one that takes no iterator."""
    for operation in graph.get_operations():
        if operation.type in ("IteratorGetNext", "IteratorGetNextSync"):
            return [compat.dims(t.shape) for t in operation.outputs]
        if operation.type == "IteratorGetNextAsOptional":
            raise Refused("it takes several batches from an iterator in one call")
    return None


def _variable(placeholder: Any, value: Any) -> tuple[str, list[int | None] | None] | None:
    """(dtype, shape) of the variable that is given; None for a tensor, and for a resource that is no variable."""
    if placeholder.dtype.name != "resource":
        return None
    return compat.handle_spec(value) or compat.handle_spec(placeholder)
