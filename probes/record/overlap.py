"""Arrays of a `fit`: rows of the validation that are rows of the training, and labels that name no class."""

from __future__ import annotations

import sys
from typing import Any

MAX_NUMBERS = 500_000
"""Of each array: to compare more takes too long while the target waits."""
_LEAST = 8
_SHARE = 0.05
"""Fewer may be rows that happen to be alike."""
_REPEATED = 4
"""How often rows that were drawn again are there, at most."""


def shared_rows(training: Any, validation: Any) -> list[int] | None:
    """[rows of the validation that stand in the training, rows of the validation]; none where only few do, or all of
    them; None where it cannot be known: of whole numbers rows are alike by chance.
    """
    numpy = sys.modules.get("numpy")
    if numpy is None or not all(_comparable(numpy, a) for a in (training, validation)):
        return None
    if training.shape[1:] != validation.shape[1:] or training.dtype != validation.dtype:
        return None
    first, second = _as_items(numpy, training), _as_items(numpy, validation)
    if len(numpy.unique(second)) * 2 < len(second) or not _continuous(numpy, validation):
        return None
    shared = int(numpy.isin(second, first).sum())
    some = shared >= _LEAST and _SHARE * len(second) <= shared < len(second)
    return [shared if some else 0, len(second)]


def items_of(array: Any) -> Any:
    """The rows of an array of measurements, each as one item of bytes; None of anything else."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not _comparable(numpy, array) or not _continuous(numpy, array, _REPEATED):
        return None
    return _as_items(numpy, array)


def unnamed_rows(labels: Any) -> list[int] | None:
    """[rows without a one, rows] of one-hot labels whose first class is in no row: they were counted from 1."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(labels, numpy.ndarray) or labels.ndim != 2 or labels.size > MAX_NUMBERS:
        return None
    if labels.dtype.kind not in "iubf" or labels.shape[1] < 3 or len(labels) < _LEAST:
        return None
    counts = (labels != 0).sum(1)
    zeros = int((counts == 0).sum())
    if not 0 < zeros < len(labels) or bool((counts > 1).any()) or bool((labels[:, 0] != 0).any()):
        return None
    # Each other class is in some row: what is missing is one class, and not the labels.
    return [zeros, len(labels)] if bool((labels[:, 1:] != 0).any(0).all()) else None


def _comparable(numpy: Any, array: Any) -> bool:
    if not isinstance(array, numpy.ndarray) or array.dtype.kind != "f" or array.ndim < 2:
        return False
    return bool(len(array) >= _LEAST and array.size <= MAX_NUMBERS and array.size >= 2 * len(array))


def _as_items(numpy: Any, array: Any) -> Any:
    """Each row as one item of bytes."""
    flat = numpy.ascontiguousarray(array.reshape(len(array), -1))
    return flat.view(numpy.dtype((numpy.void, flat.dtype.itemsize * flat.shape[1]))).ravel()


def _continuous(numpy: Any, array: Any, times: int = 2) -> bool:
    """Whether at least two columns have about as many values as rows: measurements, and no codes. `times`: how often a
    row may be there.
    """
    flat = array.reshape(len(array), -1)
    wide = flat[:, :: max(1, flat.shape[1] // 8)]
    return sum(len(numpy.unique(column)) * times > len(column) for column in wide.T) >= 2
