"""A model that is trained in one fold after the other: what it is evaluated on, an earlier fold has trained it on.

Rows are known by digests of their bytes, of arrays of measurements alone. A model that learns one task after another
sees other rows in each of its trainings; folds share most of theirs.
"""

from __future__ import annotations

import sys
import weakref
from typing import Any

from .digests import Digests
from .overlap import items_of

MAX_ROWS = 200_000
"""Of all trainings of a model together."""
MAX_BYTES = 4 << 20
_SHARED, _SEEN, _LEAST = 0.3, 0.5, 8


class Folds:
    """The rows that each model was trained on, in its last training and in all before."""

    def __init__(self) -> None:
        self._models: weakref.WeakKeyDictionary[Any, _Rows] = weakref.WeakKeyDictionary()

    def fitted(self, model: Any, training: Any) -> None:
        """A `fit` begins."""
        items = items_of(training)
        known = self._models.get(model)
        if items is None:
            self._models.pop(model, None)
        elif known is None or known.weights is None or known.weights != _weights(model):
            self._models[model] = _Rows(items)  # the program gave it other weights, or may have
        else:
            known.again(items)

    def evaluated(self, model: Any, data: Any) -> list[int] | None:
        """[rows that an earlier training had, rows] of an `evaluate` whose rows the last training left out."""
        known, numpy = self._models.get(model), sys.modules.get("numpy")
        if known is not None:
            known.weights = _weights(model)
        items = items_of(data) if known is not None and known.folds else None
        if known is None or items is None or numpy is None or items.dtype != known.last.dtype or len(items) < _LEAST:
            return None
        seen = int(numpy.isin(items, known.before).sum())
        if seen < _SEEN * len(items) or numpy.isin(items, known.last).any():
            return None
        return [seen, len(items)]


def _weights(model: Any) -> str | None:
    return next((Digests(MAX_BYTES).of(v) for v in model.trainable_variables), None)


class _Rows:
    def __init__(self, items: Any) -> None:
        self.last = items
        self.before: Any = items[:0]
        self.folds = False
        self.weights: str | None = None
        """The digest of a variable, when the model was evaluated."""

    def again(self, items: Any) -> None:
        """One more training: a fold, where it shares rows with the last one and leaves some out."""
        numpy = sys.modules["numpy"]
        if items.dtype != self.last.dtype or len(self.before) + len(self.last) > MAX_ROWS:
            self.last, self.before, self.folds = items, items[:0], False
            return
        shared = int(numpy.isin(items, self.last).sum())
        self.folds = _SHARED * len(items) <= shared < len(items)
        self.before = numpy.unique(numpy.concatenate([self.before, self.last]))
        self.last = items
