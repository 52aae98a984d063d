"""What the first call of each function that XLA compiled was given, kept in its capsule: a worker can then compare.

So it is of a function that calls a compiled one, as a Keras step does. Its batch comes from an iterator, from which
nothing is taken: the first rows of the arrays that were given to `fit` or `evaluate` stand for it, or what a worker
makes of the graph of the dataset.

Later calls are kept as well, far fewer of them as a program goes on (`schema.LATER_CALLS`): an index that leaves its
range, a NaN, come late.

TensorFlow hands a `ConcreteFunction` its tensors and the handles of its variables in one place. Calls in between are
only counted, and after the last one that is kept, or for which there is no room, nothing of ours is left at the
function. Values are copied before the call, since it may assign variables, and written once it has returned; in between
nobody but this call's frame holds them.
"""

from __future__ import annotations

import functools
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import compat, compat_graph, schema
from .frames import hide, wraps
from .guard import Guard
from .pipelines import Unwritten, graph_of, size_of
from .shelf import Shelf

_clock = time.perf_counter

MAX_BYTES = 256 * 1024 * 1024
"""Of all functions of a process together."""
MAX_SECONDS = 0.5
"""Of our own work around the first calls, of all functions together."""
MAX_FUNCTIONS = 32
_LATER = 0.5
"""The share of all this that later calls may take: functions that are called for the first time come first."""
_RATE = 200e6
"""Bytes a second that copying and writing are taken to manage: what would need more time than is left is not begun."""


class Refused(Exception):
    """The values are not kept, and why."""


@dataclass(frozen=True)
class Batch:
    """The data of a Keras call that is under way, flat, and how many rows a batch of it has; of a dataset that computes
    something the dataset itself; else why there are none.
    """

    data: list[Any]
    size: int
    dataset: Any = None
    why: str | None = None


@dataclass(frozen=True)
class _Before:
    arrays: dict[str, Any]
    bytes: int
    data: str
    """Whether the data are those of the call: exact, or redrawn."""


class FirstCalls:
    """Writes the values of first calls, and a `first-call` event for each: kept, or why not."""

    def __init__(
        self, guard: Guard, shelf: Shelf, batch: Callable[[], Batch | None] = lambda: None, *, every: bool = False
    ) -> None:
        """`every`: of functions that XLA does not compile, too."""
        self.sample: Callable[[Path, Any], None] = lambda folder, concrete: None
        self.guard = guard
        self.shelf = shelf
        self._every = every
        self._batch = batch
        self._bytes = 0
        self._seconds = 0.0
        self._functions = 0
        self._watched: list[weakref.ref[Any]] = []
        guard.hooks.undone_by(self._take_back)

    def _take_back(self) -> None:
        for reference in self._watched:
            function = reference()
            if function is not None:
                vars(function).pop(compat.FLAT_CALL, None)

    def expect(self, folder: Path, concrete: Any) -> None:
        """Look at the first call of a function that was just traced, if XLA is to compile it or one that it calls."""
        self.guard.part("sample", self.sample, folder, concrete)
        compiled = compat.must_compile(concrete) or compat_graph.compiles_within(concrete)
        clustered = not compiled and compat_graph.auto_clusters()
        if not (compiled or clustered or self._every):
            return
        self._functions += 1
        if self._functions > MAX_FUNCTIONS:
            self._note(folder, f"only the first {MAX_FUNCTIONS} functions are looked at")
            return

        call = getattr(type(concrete), compat.FLAT_CALL)
        reference = weakref.ref(concrete)
        # What a cluster gives cannot be had again so exactly: of one call the results are kept with the values.
        wanted = iter((1,) if clustered else (1, *schema.LATER_CALLS))
        calls, next_one = 0, next(wanted)

        def watched(*args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            nonlocal calls, next_one
            function = reference()
            if not sys.modules["tensorflow"].executing_eagerly():
                return call(function, *args, **kwargs)  # it becomes part of a graph, and computes nothing yet
            calls += 1
            if calls != next_one:
                return call(function, *args, **kwargs)
            this, next_one = next_one, next(wanted, 0)
            before = self.guard.run("first call", self._before, folder, function, args, kwargs, this)
            if before is None or not next_one:
                vars(function).pop(compat.FLAT_CALL, None)  # nothing of ours is left at the function
            try:
                result = call(function, *args, **kwargs)
            except BaseException as error:
                hide(error)
                raise
            if before is not None:
                results = result if clustered else None
                self.guard.run("first call", self._after, folder, before, this, results)
            return result

        # An attribute of this one object stands before the method; it does not hold the object.
        setattr(concrete, compat.FLAT_CALL, wraps(call)(watched))
        self._watched.append(reference)

    def _before(
        self, folder: Path, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], call: int
    ) -> _Before | None:
        started = _clock()
        try:
            given = _given(function, args, kwargs)
            shapes = yielded(function.graph)
            if call > 1 and shapes is not None:
                return None  # it would be the batch of the first call over again
            batch, dataset = self._rows(shapes) if shapes is not None else ([], None)
            size = self._size(given, shapes is not None) + sum(map(compat.bytes_of, batch))
            size += size_of(dataset) if dataset is not None else 0
            self._check(size, _LATER if call > 1 else 1.0)
            arrays = _copied(given, batch)
            if dataset is not None:
                arrays[schema.DATASET_VALUE] = graph_of(dataset)
            return _Before(arrays, size, "exact" if shapes is None else "redrawn")
        except (Refused, Unwritten) as why:
            if call == 1:
                self._note(folder, str(why))
            return None
        finally:
            self._seconds += _clock() - started

    def _rows(self, shapes: Sequence[Any]) -> tuple[list[Any], Any]:
        """As many rows of the data of the Keras call under way as its step takes at a time, not copied yet; or the
        dataset that they come from.
        """
        batch = self._batch()
        if batch is not None and batch.dataset is not None:
            return [], batch.dataset
        if batch is None or not batch.data:
            why = batch.why if batch is not None else None
            raise Refused(why or "its batch comes from an iterator, and no arrays are known that it is made of")
        if len(batch.data) != len(shapes):
            raise Refused(f"its iterator gives {len(shapes)} tensors, and the call was given {len(batch.data)} arrays")
        if any(shape is not None and len(shape) != len(a.shape) for shape, a in zip(shapes, batch.data, strict=True)):
            raise Refused("its iterator gives tensors of another rank than the arrays that the call was given")
        sizes = [shape[0] for shape in shapes if shape]
        rows = next((n for n in sizes if n is not None), batch.size)
        return [array[:rows] for array in batch.data], None

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

    def _check(self, size: int, share: float) -> None:
        """Raise Refused where these bytes are more than is left of a share of all that may be kept."""
        if self._bytes + size > share * MAX_BYTES:
            raise Refused(f"its values take {size} bytes, and {MAX_BYTES - self._bytes} are left")
        if self._seconds + size / _RATE > share * MAX_SECONDS:
            raise Refused(f"to keep its values would take longer than the {MAX_SECONDS} s for all functions allow")
        self._bytes += size

    def _after(self, folder: Path, before: _Before, call: int, results: Any) -> None:
        from . import capsule as capsules  # imports numpy: not before the target has

        started = _clock()
        if results is not None:
            self._add_results(before.arrays, results)
        size = sum(array.nbytes for array in before.arrays.values())
        room = size + capsules.overhead(len(before.arrays))
        write: Callable[[Path], Any]
        if call > 1:
            write = functools.partial(capsules.save_later, arrays=before.arrays, call=call, max_bytes=size)
        else:
            write = functools.partial(capsules.save, arrays=before.arrays, recipe=_recipe(before), max_bytes=size)
        kept = self.shelf.add_values(folder.name, room, write, needed=False)
        self._seconds += _clock() - started
        if call == 1:
            self._note(folder, None if kept else "the values could not be written", before.bytes)
        elif kept:
            self.guard.sink.write(schema.LATER_CALL, capsule=folder.name, call=call, bytes=before.bytes)

    def _add_results(self, arrays: dict[str, Any], results: Any) -> None:
        from .capsule import storable

        tensors = compat_graph.flat_tensors(results)
        size = sum(map(compat.bytes_of, tensors))
        try:
            self._check(size, 1.0)
        except Refused:
            return
        arrays.update({f"output:{i}": storable(t) for i, t in enumerate(tensors) if t.dtype.name != "variant"})

    def _note(self, folder: Path, why: str | None, size: int | None = None) -> None:
        self.guard.sink.write(schema.FIRST_CALL, capsule=folder.name, kept=why is None, why=why, bytes=size)


def _recipe(before: _Before) -> dict[str, Any]:
    return {
        "data": before.data,
        "variables": "before-call",
        "rows": None,
        "batch_size": None,
        "note": "the first call, which went well",
        "kept": sorted(before.arrays),
        "missing": {},
    }


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
            arrays[f"input:{i}"] = storable(compat_graph.read_variable(value, spec[0]))
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


def yielded(graph: Any) -> list[list[int | None] | None] | None:
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
    return compat_graph.handle_spec(value) or compat_graph.handle_spec(placeholder)
