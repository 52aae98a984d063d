"""What models have predicted, and for which rows: the first number of each result and one for the row that it is of.

A program may put predictions into an array, join, sort and score them: where an array has the same numbers again, this
says which row each of them was predicted for. Nothing else of the rows is kept. The number of rows and the time that
this takes have limits.
"""

from __future__ import annotations

import sys
from typing import Any

from .. import compat
from .clocks import of_thread

MAX_ROWS = 200_000
MAX_SECONDS = 0.05
MAX_CALLS = 2000
_MOST_NUMBERS = 4_000_000
_MOST_COLUMNS = 256
_UNIQUE = 0.95


class Outputs:
    """The results of the calls of models, one after another."""

    def __init__(self) -> None:
        self._keys: list[Any] = []
        self._values: list[Any] = []
        self._widths: set[tuple[int, ...]] = set()
        self._sizes: list[int] = []
        self._made: list[Any] = []
        """The lines that called the models."""
        self._rows = 0
        self._seconds = 0.0
        self._sorted: tuple[int, Any, Any] | None = None

    @property
    def open(self) -> bool:
        """Whether more is taken."""
        return self._rows < MAX_ROWS and self._seconds < MAX_SECONDS and len(self._sizes) < MAX_CALLS

    @property
    def largest(self) -> int:
        """The most rows that one call had."""
        return max(self._sizes, default=0)

    def take(self, rows: Any, result: Any, where: Any = None) -> None:
        """A model was given these rows by a line, and gave these results."""
        if not self.open:
            return
        started = of_thread()
        try:
            self._take(rows, result, where)
        finally:
            self._seconds += of_thread() - started

    def _take(self, rows: Any, result: Any, where: Any) -> None:
        given, gave = array_of(rows), array_of(result)
        if given is None or gave is None or not given.ndim or not gave.ndim or not len(given) == len(gave) > 0:
            return
        self._sizes.append(len(given))
        self._made.append(where)
        self._rows += len(given)
        known = gave.size <= _MOST_COLUMNS * len(gave)
        self._values.append(gave.reshape(len(gave), -1)[:, 0].astype("float32") if known else None)
        self._keys.append(keys_of(given) if known else None)
        self._widths.add(given.shape[1:])

    def covers(self, count: int) -> bool:
        """Whether some calls, one after another, had so many rows together."""
        sums, total = {0}, 0
        for size in self._sizes:
            total += size
            if total - count in sums:
                return True
            sums.add(total)
        return False

    def latest(self, count: int) -> Any:
        """The last so many results, of whole calls; None where there are none."""
        found: list[Any] = []
        for values in reversed(self._values):
            if values is None or sum(map(len, found)) >= count:
                break
            found.insert(0, values)
        return sys.modules["numpy"].concatenate(found) if sum(map(len, found)) == count > 0 else None

    def rows_of(self, guesses: Any) -> Any:
        """The keys of the rows that these numbers were predicted for; None where they are no predictions of ours."""
        numpy = sys.modules["numpy"]
        known = self._known(numpy)
        if known is None:
            return None
        values, keys = known
        wanted = guesses.astype("float32")
        if len(numpy.unique(wanted)) < _UNIQUE * len(wanted):
            return None
        at = numpy.minimum(numpy.searchsorted(values, wanted), len(values) - 1)
        return keys[at] if bool((values[at] == wanted).all()) else None

    def made(self, guesses: Any) -> Any:
        """The last line of which results are among these numbers."""
        numpy = sys.modules["numpy"]
        some = guesses.astype("float32")
        for values, where in zip(reversed(self._values), reversed(self._made), strict=False):
            if values is not None and bool(numpy.isin(values[:1], some).all()):
                return where
        return None

    def has(self, value: Any) -> bool:
        """Whether a tensor has one number for each row, and all are predictions."""
        array = array_of(value)
        return array is not None and array.ndim > 0 and array.size == len(array) and self.share(array.reshape(-1)) == 1

    def share(self, guesses: Any) -> float:
        """Which part of some numbers are predictions."""
        numpy = sys.modules["numpy"]
        known = self._known(numpy)
        if known is None or not len(guesses):
            return 0.0
        return float(numpy.isin(guesses.astype("float32"), known[0]).mean())

    def _known(self, numpy: Any) -> tuple[Any, Any] | None:
        """All results in their order, and the keys of their rows."""
        if self._sorted is None or self._sorted[0] != len(self._sizes):
            pairs = [(v, k) for v, k in zip(self._values, self._keys, strict=False) if v is not None]
            if not pairs:
                return None
            values, keys = (numpy.concatenate(part) for part in zip(*pairs, strict=False))
            order = numpy.argsort(values, kind="stable")
            self._sorted = (len(self._sizes), values[order], keys[order])
        return self._sorted[1], self._sorted[2]

    def are_rows(self, array: Any) -> bool:
        """Whether an array may have the rows that models were given."""
        return array.shape[1:] in self._widths


def array_of(value: Any) -> Any:
    """An array of numbers that is in the memory of the host, as NumPy has it."""
    numpy = sys.modules.get("numpy")
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if compat.is_eager(value):
        size = 1
        for n in value.shape:
            size *= int(n)
        plain = bool(value.dtype.is_floating or value.dtype.is_integer) and value.dtype.name != "bfloat16"
        value = value.numpy() if plain and size <= _MOST_NUMBERS and "CPU" in value.device else None
    if numpy is None or not isinstance(value, numpy.ndarray) or value.dtype.kind not in "fiu":
        return None
    return value if value.size <= _MOST_NUMBERS else None


def keys_of(rows: Any) -> Any:
    """One number for each row, by its values in float32."""
    numpy = sys.modules["numpy"]
    words = numpy.ascontiguousarray(rows.reshape(len(rows), -1).astype("float32")).view("uint32")
    draw = numpy.random.Generator(numpy.random.PCG64(11))
    by = draw.integers(1, 1 << 62, words.shape[-1]).astype("uint64") | numpy.uint64(1)
    return (words.astype("uint64") * by).sum(-1, dtype="uint64")


def places_in(numpy: Any, known: Any, wanted: Any) -> Any:
    """Where each of some numbers stands among others, which are all different; None where one does not."""
    order = numpy.argsort(known, kind="stable")
    ranked = known[order]
    if bool((ranked[1:] == ranked[:-1]).any()):
        return None
    at = numpy.minimum(numpy.searchsorted(ranked, wanted), len(ranked) - 1)
    return order[at] if bool((ranked[at] == wanted).all()) else None
