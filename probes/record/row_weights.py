"""Weights of classes that are not what they are taken for: larger for frequent classes, or those of other classes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from .labels import classes_of

MAX_CLASSES = 100
_APART = 1.2
"""So many times as many rows has the largest class of the smallest one, at least."""
_SAME = 0.03
_NEARLY, _UNLIKE = 0.35, 3.0
"""Of classes that were counted in other rows, as in all of which these are a part."""
_SEVERAL = 3
"""Of two classes two weights in the wrong order may be meant."""


def odd_weights(labels: Any, given: Mapping[str, Any]) -> tuple[str, list[int]] | None:
    """(what, rows of the class with the largest and the smallest weight): "by-count" where the weights of all classes
    are as their numbers of rows are, so that the frequent ones count twice; "dealt" where they are the inverse of these
    numbers, or of their roots, each for another class; "no-class" where a weight is given to a class that no row has,
    and some class that rows have is given none.
    """
    numpy = sys.modules["numpy"]
    classes = classes_of(labels, MAX_CLASSES)
    if classes is None or (labels.ndim == 2 and labels.shape[1] > 1 and not (labels.sum(1) == 1).all()):
        return None
    names, counts = numpy.unique(classes, return_counts=True)
    known = {int(n): int(c) for n, c in zip(names, counts, strict=False)}
    if not 2 <= len(known) <= MAX_CLASSES:
        return None
    weights = given.get("class_weight")
    if isinstance(weights, Mapping):
        found = {k: float(w) for k, w in weights.items() if isinstance(k, (int, numpy.integer))}
        if len(found) == len(weights) and set(known) - set(found) and set(found) - set(known):
            return "no-class", [len(set(found) - set(known)), len(known)]
    else:
        found = _of_rows(numpy, given.get("sample_weight"), classes, known)
    if set(known) - set(found) or max(known.values()) < _APART * min(known.values()):
        return None
    if _alike(found[k] / n for k, n in known.items()):
        return "by-count", [max(known.values()), min(known.values())]
    return ("dealt", [known[max(known, key=lambda k: found[k])], min(known.values())]) if _dealt(known, found) else None


def _dealt(known: Mapping[int, int], weights: Mapping[int, float]) -> bool:
    """Whether the weights are the inverse of the numbers of rows only once both are sorted."""
    pairs = list(zip(sorted(known.values()), sorted((weights[k] for k in known), reverse=True), strict=True))
    powers = (1.0, 0.5) if len(pairs) >= _SEVERAL else ()
    return any(
        _alike((w * n**power for n, w in pairs), most)
        and not _alike((weights[k] * n**power for k, n in known.items()), least)
        for power in powers
        for most, least in ((_SAME, _SAME), (_NEARLY, _UNLIKE))
    )


def _alike(numbers: Iterable[float], apart: float = _SAME) -> bool:
    found = list(numbers)
    return min(found) > 0.0 and max(found) <= (1.0 + apart) * min(found)


def _of_rows(numpy: Any, weights: Any, classes: Any, known: Mapping[int, int]) -> dict[int, float]:
    """The weight of each class, if all rows of a class have the same."""
    array = weights if isinstance(weights, numpy.ndarray) else None
    if array is None or array.dtype.kind != "f" or array.shape != classes.shape:
        return {}
    found = {k: array[classes == k] for k in known}
    return {k: float(w[0]) for k, w in found.items() if float(w.min()) == float(w.max())}
