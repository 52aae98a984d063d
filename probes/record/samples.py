"""A few rows of what a Keras step is given, and the tensors that its graph captured, kept when it was traced.

A worker can then ask what the fixed part of a model makes of these data (`probes.graph.explained`). Nothing is run and
nothing is taken from an iterator: the rows are those of the arrays that the call under way was given.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .. import compat, compat_graph, schema
from .disk import new_file
from .first_calls import Batch, FirstCalls, Refused, yielded
from .guard import Guard
from .shelf import Shelf

_ROWS = 6
_MOST = 4 * 1024 * 1024
"""Bytes of the rows, and of one captured tensor."""
_FEW = 64
"""Elements of a variable that is kept: a gain or a scale, no weights of a layer."""
_FUNCTIONS = 4


class Samples:
    """Writes `sample.npz` beside the graph of a Keras step."""

    def __init__(self, shelf: Shelf, batch: Callable[[], Batch | None]) -> None:
        self._shelf, self._batch = shelf, batch
        self._left = _FUNCTIONS

    def traced(self, folder: Path, concrete: Any) -> None:
        """Keep a sample for a function that was just traced, if it takes batches from an iterator."""
        try:
            shapes = yielded(concrete.graph)
        except Refused:
            return
        if shapes is None or not self._left:
            return
        from .capsule import overhead, storable

        rows = list(self._rows(shapes))
        if not rows:
            return
        self._left -= 1
        arrays = {f"data:{i}": storable(array) for i, array in enumerate(rows)}
        arrays.update((key, storable(value)) for key, value in _captured(concrete.graph))
        size = sum(a.nbytes for a in arrays.values()) + overhead(len(arrays))

        def write(folder: Path) -> None:
            import numpy as np

            with new_file(folder / schema.SAMPLE, size) as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]

        self._shelf.add_sample(folder.name, size, write)

    def _rows(self, shapes: list[list[int | None] | None]) -> Iterator[Any]:
        """The first rows of each array of the call under way: as many as the step takes, or a few."""
        batch = self._batch()
        data = batch.data if batch is not None else []
        if len(data) != len(shapes):
            return
        fixed = next((s[0] for s in shapes if s and s[0] is not None), None)
        taken = [array[: fixed or _ROWS] for array in data]
        if any(map(_is_moves, taken)) and sum(map(compat.bytes_of, taken)) <= _MOST:
            yield from taken


def _is_moves(array: Any) -> bool:
    """Whether it looks like moves or positions: numbers, with two components."""
    # The name of a type: NumPy's and TensorFlow's have one, and only NumPy's is its text.
    return 2 in tuple(array.shape)[1:] and array.dtype.name.startswith(("float", "int"))


def _captured(graph: Any) -> Iterator[tuple[str, Any]]:
    """(key of the input, value) of the constants and of the small variables that a graph captured."""
    inputs = {id(placeholder): number for number, placeholder in enumerate(graph.inputs)}
    for value, placeholder in graph.captures:
        number = inputs.get(id(placeholder))
        if number is None:
            continue
        if placeholder.dtype.name == "resource":
            spec = compat_graph.handle_spec(value)
            if spec is None or spec[1] is None or None in spec[1] or not compat_graph.is_local_variable(value):
                continue
            if math.prod(n or 1 for n in spec[1]) <= _FEW:
                with contextlib.suppress(Exception):  # one that has no value yet
                    yield f"input:{number}", compat_graph.read_variable(value, spec[0])
        elif hasattr(value, "numpy") and compat.bytes_of(value) <= _MOST:
            yield f"input:{number}", value


def first_calls(
    guard: Guard, shelf: Shelf, batch: Callable[[], Batch | None], *, every: bool, rows: bool
) -> FirstCalls:
    """The recorder of first calls; with `rows`, it also keeps samples."""
    made = FirstCalls(guard, shelf, batch, every=every)
    if rows:
        made.sample = Samples(shelf, batch).traced
    return made
