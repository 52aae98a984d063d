"""The arrays that Keras' `fit`, `evaluate` and `predict` get: what their numbers say of how they were made.

Nothing of them is kept but sums of their columns and one number for each row. After so much time of our own nothing
is looked at any more.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from .. import compat, compat_data
from .clocks import of_thread
from .columns import (
    MAX_NUMBERS,
    Columns,
    columns_of,
    other_scale,
    scaled_apart,
    scaled_beside,
    scaled_together,
    statistic_of_both,
    uneven,
    unlike,
)
from .datasets import slices
from .input_layers import layers_of, odd_layers, statistics_of
from .other_pairs import other_pairs
from .overlap import items_of
from .reach import out_of_reach
from .renumbered import Means, means_of, renumbered
from .row_weights import odd_weights
from .sequences import Windows, foretold, odd_pair, overlapping, unwritten, windows_of

MAX_SECONDS = 0.5
_MOST_OTHERS = 4
MAX_ROW_NUMBERS = 500_000
_LEAST = 8
_SHARE = 0.05
Write = Callable[..., None]


class _Training:
    """What is known of the rows that a model was trained on, and of others that it got since."""

    def __init__(self, rows: Any) -> None:
        self.columns: Columns | None = columns_of(rows)
        self.windows: Windows | None = windows_of(rows)
        self.items: Any = items_of(rows)
        self.numbers: Any = _numbers(rows)
        """Each number that stands in the rows once."""
        self.others: list[Columns] = []
        self.means: list[Any] = []
        """Those of the normalisations of the model."""
        self.classes: Means | None = None
        self.odd = False
        """Whether its labels do not fit its rows: those of its tests are not looked at again."""

    @cached_property
    def repeats(self) -> bool:
        """Whether rows were drawn more than once."""
        numpy = sys.modules["numpy"]
        return self.items is not None and len(numpy.unique(self.items)) < (1 - _SHARE) * len(self.items)


class GivenRows:
    """Calls `write(what, rows=[...], argument=...)` for what is odd about the arrays of a call."""

    def __init__(self, write: Write) -> None:
        self.write = write
        self._models: weakref.WeakKeyDictionary[Any, _Training] = weakref.WeakKeyDictionary()
        self._seconds = 0.0
        self.of_keras = False
        """Whether Keras trains in this program."""
        self.program: Any = None
        """Stands for the model of a program that trains by steps of its own."""
        self.of_program: Callable[[], None] = lambda: None
        """Called when one is known."""

    def begins(self, method: str, model: Any, given: Mapping[str, Any], facts: dict[str, Any]) -> None:
        """A call begins with these arguments."""
        self.of_keras = self.of_keras or (method == "fit" and not facts.get("loop"))
        if self._seconds >= MAX_SECONDS:
            return
        started = of_thread()
        try:
            if method == "fit":
                self._fitted(model, given, facts)
            else:
                self._used(method, model, given, facts)
        finally:
            self._seconds += of_thread() - started

    def sampled(self, model: Any) -> None:
        """What a model was trained on is a sample: a test may have others of these rows, or all of them."""
        known = self._models.get(model)
        if known is not None:
            known.items = None

    def _fitted(self, model: Any, given: Mapping[str, Any], facts: dict[str, Any]) -> None:
        rows, labels = _pair(given.get("x"), given.get("y"))
        if rows is None:
            return
        split = float(given.get("validation_split") or 0.0)
        at = int(len(rows) * (1.0 - split)) if 0.0 < split < 1.0 else len(rows)
        known = self._models[model] = _Training(rows[:at])
        if facts.get("loop"):
            self.program = model
            self.of_program()
        known.means = [mean for mean, _ in statistics_of(layers_of(model))]
        known.odd = self._alone(rows, labels, facts)
        known.classes = means_of(rows[:at], labels[:at]) if labels is not None and not known.odd else None
        for odd in odd_layers(model, rows):
            self.write(odd, rows=[len(rows), 0], argument="x", **facts)
        beyond = out_of_reach(model, labels) if labels is not None else None
        if beyond is not None:
            self.write("out-of-reach", argument="y", **beyond, **facts)
        weighed = odd_weights(labels, given) if labels is not None else None
        if weighed is not None:
            name = "class_weight" if given.get("class_weight") else "sample_weight"
            self.write(weighed[0], rows=weighed[1], argument=name, **facts)
        scaled = scaled_beside(rows)
        if scaled is None and known.columns is not None and uneven(known.columns):
            scaled = "uneven"
        if scaled is not None:
            self.write(scaled, rows=[len(rows), rows.shape[-1]], argument="x", **facts)
        if at < len(rows):
            self._windows(known, rows[at:], "x", facts)
        beside = given.get("validation_data")
        if beside is not None:
            parts = beside if isinstance(beside, (tuple, list)) else (beside,)
            others, theirs = _pair(parts[0], parts[1] if len(parts) > 1 else None)
            if others is not None:
                self._compared(known, others, "validation_data", facts)
                self._renumbered(known, others, theirs, "validation_data", facts)
                self._foretold(known, theirs, "validation_data", facts)

    def _used(self, method: str, model: Any, given: Mapping[str, Any], facts: dict[str, Any]) -> None:
        rows, labels = _pair(given.get("x"), given.get("y"))
        known = self._models.get(model) or (self._models.get(self.program) if self.program is not None else None)
        if rows is None:
            return
        if method == "evaluate" and not (known is not None and known.odd):
            self._alone(rows, labels, facts)
        if known is not None:
            self._compared(known, rows, "x", facts)
            if method == "evaluate":
                self._shared(known, rows, facts, measured=True)
                self._foretold(known, labels, "x", facts)
                self._renumbered(known, rows, labels, "y", facts)
            elif known.repeats:
                # A prediction may be for some of both sides, as for a plot. Rows that were drawn several times, and
                # stand on both sides, were drawn before the split.
                self._shared(known, rows, facts, measured=False)

    def _alone(self, rows: Any, labels: Any, facts: dict[str, Any]) -> bool:
        for name, array in (("x", rows), ("y", labels)):
            rest = unwritten(array) if array is not None else 0
            if rest:
                self.write("unwritten", rows=[rest, len(array)], argument=name, **facts)
        found = odd_pair(rows, labels) if labels is not None else None
        if found is not None:
            self.write(found[0], rows=found[1], argument="y", **facts)
            return True
        apart = other_pairs(rows, labels) if labels is not None else None
        if apart is not None:
            self.write("other-pairs", **apart, **facts)
        return apart is not None

    def _compared(self, known: _Training, rows: Any, argument: str, facts: dict[str, Any]) -> None:
        self._windows(known, rows, argument, facts)
        columns = columns_of(rows)
        if known.columns is None or columns is None or columns.width != known.columns.width:
            return
        if any(_same(columns, other) for other in (known.columns, *known.others)):
            return
        if scaled_apart(known.columns, columns):
            self.write("own-scale", rows=[columns.rows, known.columns.rows], argument=argument, **facts)
        # Which of several models eager code calls is not known: what it gets may be something else altogether.
        factor = other_scale(known.columns, columns) if facts.get("step") != "" else None
        if factor is not None:
            self.write(
                "other-scale", rows=[columns.rows, known.columns.rows], factor=factor, argument=argument, **facts
            )
        elsewhere = unlike(known.columns, columns) if factor is None and facts.get("step") != "" else None
        if elsewhere is not None:
            self.write("elsewhere", rows=elsewhere, argument=argument, **facts)
        whole = columns
        for other in (None, *known.others):
            whole = whole if other is None else whole + other
            if scaled_together(known.columns, whole):
                rows_of_both = [known.columns.rows, known.columns.rows + whole.rows]
                self.write("whole-scale", rows=rows_of_both, argument=argument, **facts)
                break
            if any(statistic_of_both(mean, known.columns, whole) for mean in known.means):
                rows_of_both = [known.columns.rows, known.columns.rows + whole.rows]
                self.write("whole-adapt", rows=rows_of_both, argument=argument, **facts)
                break
        known.others = [*known.others, columns][-_MOST_OTHERS:]

    def _windows(self, known: _Training, rows: Any, argument: str, facts: dict[str, Any]) -> None:
        others = windows_of(rows)
        found = overlapping(known.windows, others) if known.windows is not None and others is not None else None
        if found is not None:
            self.write("windows", rows=found, argument=argument, **facts)

    def _foretold(self, known: _Training, labels: Any, argument: str, facts: dict[str, Any]) -> None:
        found = foretold(known.numbers, labels) if known.numbers is not None and labels is not None else None
        if found is not None:
            self.write("foretold", rows=found, argument=argument, **facts)

    def _renumbered(self, known: _Training, rows: Any, labels: Any, argument: str, facts: dict[str, Any]) -> None:
        found = renumbered(known.classes, rows, labels) if known.classes is not None and labels is not None else None
        if found is not None:
            self.write("renumbered", argument=argument, **found, **facts)

    def _shared(self, known: _Training, rows: Any, facts: dict[str, Any], measured: bool) -> None:
        """Rows of the training among those that are tested; all rows together may be meant."""
        numpy, items = sys.modules["numpy"], items_of(rows)
        if known.items is None or items is None or items.dtype != known.items.dtype:
            return
        shared = int(numpy.isin(items, known.items).sum())
        all_of_it = bool(numpy.isin(known.items, items).all())
        if shared >= _LEAST and _SHARE * len(items) <= shared < len(items) and not all_of_it:
            self.write("trained-on", rows=[shared, len(items)], argument="x", **facts)
        if shared == len(items) >= _LEAST and all_of_it and measured and not facts.get("loop"):
            self.write("same-rows", rows=[shared, len(items)], argument="x", **facts)


def _numbers(rows: Any) -> Any:
    """The different numbers of rows of measurements, as a column."""
    numpy = sys.modules["numpy"]
    wanted = rows.dtype.kind == "f" and rows.ndim in (2, 3) and rows.size <= MAX_ROW_NUMBERS
    return numpy.unique(rows)[:, None] if wanted else None


def _same(one: Columns, other: Columns) -> bool:
    return one.rows == other.rows and bool((one.total == other.total).all())


def _pair(rows: Any, labels: Any) -> tuple[Any, Any]:
    """The rows and labels as arrays of NumPy; None for what is none."""
    if isinstance(rows, compat_data.dataset_class()):
        found = slices(rows, all_rows=True)
        tensors = found[0] if found is not None else []
        rows, labels = (tensors[0], tensors[1]) if len(tensors) == 2 else (None, None)
    first = _array(rows)
    second = _array(labels)
    fits = first is not None and second is not None and first.ndim and second.ndim and len(first) == len(second)
    return (first if first is not None and first.ndim else None), (second if fits else None)


def _array(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is None or value is None:
        return None
    if type(value).__module__.partition(".")[0] == "pandas" and hasattr(value, "to_numpy"):
        value = value.to_numpy() if int(value.size) <= MAX_NUMBERS else None
    elif not isinstance(value, numpy.ndarray) and compat.is_eager(value):
        small = int(numpy.prod([int(n) for n in value.shape], dtype="int64")) <= MAX_NUMBERS
        value = value.numpy() if small else None
    return value if isinstance(value, numpy.ndarray) and value.size <= MAX_NUMBERS else None
