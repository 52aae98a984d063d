"""Training and validation rows that are not split as they look, by how datasets were put together and by the labels.

A dataset that is shuffled again at each pass and then cut with `take` and `skip` gives other rows to both sides at each
pass. Keras' `validation_split` cuts the last rows off as they stand: of rows that are sorted by label these are other
classes than the first ones. No element is taken from any iterator; labels are counted where they are arrays.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from .. import compat_data, schema
from .cuts import Cuts, cut_of
from .datasets import SAME_ROWS, DatasetRecorder, chain
from .folds import Folds
from .given_rows import GivenRows
from .guard import Guard
from .keras_facts import loss_name
from .labels import MAX_LABELS, classes_of
from .loop_rows import LoopRows
from .overlap import shared_rows, unnamed_rows
from .step_rows import StepRows

_LEAST = 10
"""Fewer rows on one side show nothing."""
_CHANCE = 1e-6
"""How probable it may be at most that rows in no order look so."""
_MOST_EVENTS = 20
_BATCHES = 2
"""So many batches of one class at the least."""


class SplitRecorder:
    """Writes `split` events."""

    def __init__(self, guard: Guard, datasets: DatasetRecorder, values: bool = True) -> None:
        self.guard = guard
        self.datasets = datasets
        self._given = GivenRows(self._odd) if values else None
        self._seen: set[tuple[Any, ...]] = set()
        self._folds = Folds()
        self.steps: Callable[[], int] = lambda: 0
        """How many gradients were taken by now."""
        self._loops = LoopRows(self._given, lambda: self.steps()) if self._given is not None else None
        self.step_rows = StepRows(self._given, guard) if self._given is not None else None
        self._cuts = Cuts(self._cut_later)
        datasets.passed = self._passed

    def begins(self, method: str, model: Any, given: Mapping[str, Any], where: Mapping[str, Any] | None) -> bool:
        """A call of Keras begins with these arguments; whether its batches, or its two sides, could be looked at."""
        if self._given is not None and method in ("fit", "evaluate", "predict"):
            facts = {"model": getattr(model, "name", None), "used": where}
            self.guard.part("given rows", self._given.begins, method, model, given, facts)
        look = {"fit": self.fitted, "evaluate": self.evaluated}.get(method)
        return look is not None and look(model, given, where)

    def fitted(self, model: Any, given: Mapping[str, Any], where: Mapping[str, Any] | None) -> bool:
        """A `fit` begins with these arguments; whether its batches, or its two sides, could be looked at."""
        training, validation = given.get("x"), given.get("validation_data")
        self.guard.part("folds", self._folds.fitted, model, training)
        kind = compat_data.dataset_class()
        facts = {"model": getattr(model, "name", None), "used": where}
        known = self._batches(training, given, facts) if _classifies(model) else False
        if isinstance(training, kind) and int(given.get("epochs") or 1) > 1:
            self.guard.part("cached", self._cached, training, facts)
        if isinstance(training, kind) and isinstance(validation, kind):
            return self._cut(training, validation, facts) or known
        known = bool(self.guard.part("rows", self._rows, training, given, model, facts)) or known
        if given.get("validation_split") and _classifies(model):
            return self._labels(given.get("y"), float(given["validation_split"]), facts) or known
        return known

    def evaluated(self, model: Any, given: Mapping[str, Any], where: Mapping[str, Any] | None) -> bool:
        """An `evaluate` begins: has an earlier fold trained this model on its rows?"""
        rows = self._folds.evaluated(model, given.get("x"))
        if rows is not None:
            self._write("folds", where, rows=rows, model=getattr(model, "name", None), used=where)
        return rows is not None

    def _cached(self, training: Any, facts: dict[str, Any]) -> None:
        """Are random changes of the rows made once, above a cache?"""
        cache = self.datasets.cached_draws(training)
        if cache is not None:
            self._write("cached", self.datasets.line_of(cache), rows=[0, 0], **facts)

    def _rows(self, training: Any, given: Mapping[str, Any], model: Any, facts: dict[str, Any]) -> bool:
        """Arrays: are validation rows among those of the training, or of other classes; do all labels name a class?"""
        # Keras shuffles what has a length, and leaves the order of datasets and generators as it is.
        shuffles = given.get("shuffle") and hasattr(training, "__len__")
        shuffles = shuffles and not isinstance(training, compat_data.dataset_class())
        if shuffles and any(getattr(layer, "stateful", False) is True for layer in model.layers):
            self._write("stateful", facts["used"], rows=[0, 0], **facts)
        labels = given.get("y")
        zeros = unnamed_rows(labels) if "categorical" in loss_name(model) else None
        if zeros is not None:
            self._write("unnamed", facts["used"], rows=zeros, **facts)
        beside = given.get("validation_data")
        if not isinstance(beside, (tuple, list)) or len(beside) < 2:
            return False
        shared = shared_rows(training, beside[0])
        if shared is not None and shared[0]:
            self._write("shared", facts["used"], rows=shared, **facts)
        known = self._apart(labels, beside[1], facts) if _classifies(model) else False
        return known or shared is not None

    def _apart(self, labels: Any, beside: Any, facts: dict[str, Any]) -> bool:
        """Are most of the validation rows of classes that no training row has?"""
        numpy, first, last = sys.modules.get("numpy"), classes_of(labels), classes_of(beside)
        if numpy is None or first is None or last is None or min(len(first), len(last)) < _LEAST:
            return False
        unseen = int((~numpy.isin(last, first)).sum())
        if unseen * 2 >= len(last):
            known = {"classes": [len(numpy.unique(first)), len(numpy.unique(last))], "unseen": unseen}
            self._write("apart", facts["used"], rows=[len(first), len(last)], **known, **facts)
        return True

    def _cut(self, training: Any, validation: Any, facts: dict[str, Any]) -> bool:
        """Both sides are cut from one dataset: is its order drawn anew for each?"""
        found = cut_of(training, validation)
        if found is not None and found[0] is not None:
            self._write("reshuffled", self.datasets.line_of(found[0]), rows=found[1], **facts)
        return found is not None

    def _passed(self, dataset: Any, times: int, used: Mapping[str, Any] | None, loop: bool) -> None:
        """The program goes through a dataset, in a loop of its own or by Keras."""
        self._cuts.passed(dataset, times, used)
        if loop and self._loops is not None:
            self.guard.part("loop rows", self._loops.passed, dataset, used)

    def _cut_later(self, shuffle: Any, rows: list[int], used: Mapping[str, Any] | None) -> None:
        """A loop or an `evaluate` goes through what is cut off a dataset that something was trained with."""
        self._write("reshuffled", self.datasets.line_of(shuffle), rows=rows, model=None, used=used)

    def _labels(self, labels: Any, split: float, facts: dict[str, Any]) -> bool:
        classes = classes_of(labels)
        numpy = sys.modules.get("numpy")
        if classes is None or numpy is None or not 0.0 < split < 1.0:
            return False
        at = int(len(classes) * (1.0 - split))
        rows = [at, len(classes) - at]
        if min(rows) < _LEAST:
            return False
        most = int(classes.max()) + 1
        first, last = (numpy.bincount(part, minlength=most) for part in (classes[:at], classes[at:]))
        unseen = int(last[first == 0].sum())
        only = numpy.flatnonzero(last)
        alone = len(only) == 1 and bool((first.sum() - first[only[0]]) > 0)
        share = (first[only[0]] + last[only[0]]) / len(classes)
        if unseen * 2 >= rows[1] or (alone and float(share) ** rows[1] < _CHANCE):
            known = {"classes": [int((first > 0).sum()), len(only)], "unseen": unseen}
            self._write("sorted", facts["used"], rows=rows, **known, **facts)
        return True

    def _batches(self, training: Any, given: Mapping[str, Any], facts: dict[str, Any]) -> bool:
        """Are the first batches of rows of one class, whatever the shuffle draws?"""
        if isinstance(training, compat_data.dataset_class()):
            found = labelled(training)
            if found is None:
                return False
            labels, buffer, size, batch = found
        elif given.get("shuffle") is False:
            labels, buffer, size, batch = given.get("y"), 0, int(given.get("batch_size") or 32), None
        else:
            return False
        classes = classes_of(labels.numpy() if hasattr(labels, "numpy") else labels)
        numpy = sys.modules.get("numpy")
        if classes is None or numpy is None or size < 2:
            return False
        other = numpy.flatnonzero(classes != classes[0])
        # What comes out at a place was among so many more rows before it.
        alone = int(other[0]) - buffer if len(other) else 0
        share = float((classes == classes[0]).mean())
        if alone >= _BATCHES * size and share**alone < _CHANCE:
            where = self.datasets.line_of(batch) if batch is not None else facts["used"]
            known = {"classes": [1, len(set(classes.tolist()))], "buffer": buffer, "size": size}
            self._write("batches", where, rows=[alone // size * size, len(classes)], **known, **facts)
        return True

    def _odd(self, what: str, **facts: Any) -> None:
        self._write(what, facts["used"], **facts)

    def _write(self, what: str, where: Mapping[str, Any] | None, **facts: Any) -> None:
        key = (what, str(where), facts.get("model"))
        if key not in self._seen and len(self._seen) < _MOST_EVENTS:
            self._seen.add(key)
            self.guard.sink.write(schema.SPLIT, what=what, where=where, **facts)


def labelled(dataset: Any) -> tuple[Any, int, int, Any] | None:
    """(labels, rows that a shuffle of them draws from, rows of a batch, the dataset of the batches) of a dataset of
    arrays in batches; None of any other.
    """
    *steps, leaf = chain(dataset)
    tensors = list(getattr(leaf, "_tensors", ())) if not leaf._inputs() else []
    if len(tensors) not in (2, 3) or not all(any(w in type(d).__name__ for w in SAME_ROWS) for d in steps):
        return None
    at = [n for n, d in enumerate(steps) if hasattr(d, "_batch_size")]
    labels = tensors[1]
    if len(at) != 1 or labels.dtype.name == "string" or int(labels.shape.num_elements() or 0) > MAX_LABELS:
        return None
    buffers = [int(d._buffer_size.numpy()) for d in steps[at[0] :] if "Shuffle" in type(d).__name__]
    if any(b < 0 for b in buffers):
        return None  # all rows
    return labels, sum(buffers), int(steps[at[0]]._batch_size.numpy()), steps[at[0]]


def _classifies(model: Any) -> bool:
    """Whether the labels are classes: the loss is a cross-entropy."""
    return "crossentropy" in loss_name(model)
