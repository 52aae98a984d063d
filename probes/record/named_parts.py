"""Arrays whose names say that one is for training and another for a test, of a program that trains without `fit`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from .columns import MAX_NUMBERS, columns_of, scaled_apart, scaled_together
from .sequences import odd_pair, overlapping, windows_of

_TRAIN = re.compile(r"train(?:ing)?|trn|(?<![a-z])tr(?![a-z])", re.IGNORECASE)
_OTHERS = ("test", "val", "valid", "validation", "te", "eval", "holdout", "held", "dev")
_LABELS = (("x", "y"), ("X", "y"), ("X", "Y"), ("features", "labels"), ("features", "targets"), ("inputs", "targets"))
_MOST = 6


def odd_parts(held: Mapping[str, Any]) -> Iterator[tuple[str, list[int], str]]:
    """(what is odd, rows, the name of the array that shows it)."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return
    arrays = {n: a for n, a in held.items() if isinstance(a, numpy.ndarray) and a.ndim and a.size <= MAX_NUMBERS}
    for name in [n for n in arrays if _TRAIN.search(n)][:_MOST]:
        yield from _beside(arrays, name)
        labels = next((arrays[n] for n in _as_labels(name) if n in arrays), None)
        found = odd_pair(arrays[name], labels) if labels is not None else None
        if found is not None:
            yield found[0], found[1], next(n for n in _as_labels(name) if n in arrays)


def _beside(arrays: Mapping[str, Any], name: str) -> Iterator[tuple[str, list[int], str]]:
    columns, windows = columns_of(arrays[name]), windows_of(arrays[name])
    whole = None
    for other in (n for n in _counterparts(name) if n in arrays):
        theirs, cut = columns_of(arrays[other]), windows_of(arrays[other])
        if columns is not None and theirs is not None and columns.width == theirs.width:
            whole = theirs if whole is None else whole + theirs
            if scaled_apart(columns, theirs):
                yield "own-scale", [theirs.rows, columns.rows], other
            elif scaled_together(columns, whole):
                yield "whole-scale", [columns.rows, columns.rows + whole.rows], other
        found = overlapping(windows, cut) if windows is not None and cut is not None else None
        if found is not None:
            yield "windows", found, other


def _counterparts(name: str) -> Iterator[str]:
    """The same name with another part: `x_test` and `x_val` of `x_train`, `Xte` of `Xtr`."""
    for word in _OTHERS:
        yield _TRAIN.sub(lambda m, w=word: w.capitalize() if m.group()[0].isupper() else w, name, count=1)  # type: ignore[misc]


def _as_labels(name: str) -> Iterator[str]:
    for rows, labels in _LABELS:
        if rows in name:
            yield name.replace(rows, labels, 1)
