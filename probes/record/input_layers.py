"""Layers of a model that do not fit the rows that it is trained on: a second scaling, statistics that nobody gave, and
normalisation of another axis than that of the channels.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from .. import compat, compat_graph
from .columns import MAX_NUMBERS as MAX_COLUMNS
from .columns import stay_apart
from .digests import inner_of

_SMALL = 1 / 64
"""A `Rescaling` by less takes bytes."""
_UNIT = 1.0 + 1e-6
_TINY = 1e-12
MAX_LAYERS = 500
MAX_NUMBERS = 64_000_000
"""Of the rows: to look through more takes too long while the target waits."""


def odd_layers(model: Any, rows: Any) -> Iterator[str]:
    """What is odd: `rescaled`, `unadapted`, `apart-axis`, `norm-axis`."""
    layers = layers_of(model)
    if any(_makes_small(layer) for layer in layers) and _is_small(rows):
        yield "rescaled"
    if any(_has_no_statistics(layer) for layer in layers):
        yield "unadapted"
    if any(_leaves_apart(layer, rows) for layer in layers):
        yield "apart-axis"
    formats = {getattr(layer, "data_format", None) for layer in layers if hasattr(layer, "kernel_size")}
    if formats == {"channels_last"}:
        pairs = itertools.pairwise(layers)
        if any(hasattr(one, "filters") and _is_of_rows(one, other) for one, other in pairs):
            yield "norm-axis"


def layers_of(model: Any) -> list[Any]:
    """All layers of a model, those within others too."""
    flat = getattr(model, "_flatten_layers", None)
    return list(flat())[:MAX_LAYERS] if flat is not None else []


def statistics_of(layers: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """(mean, variance) of each normalisation with a number for each column of the last axis."""
    for layer in layers:
        if type(layer).__name__ == "Normalization":
            mean, variance = (_array(getattr(layer, name, None)) for name in ("mean", "variance"))
            if mean is not None and variance is not None and mean.size == mean.shape[-1]:
                yield mean.reshape(-1), variance.reshape(-1)


def _array(value: Any) -> Any:
    return value.numpy().astype("float64") if compat.is_eager(value) and len(value.shape) else None


def _makes_small(layer: Any) -> bool:
    scale = getattr(layer, "scale", None) if type(layer).__name__ == "Rescaling" else None
    return isinstance(scale, float) and 0 < scale <= _SMALL


def _is_small(rows: Any) -> bool:
    numpy = sys.modules["numpy"]
    if not isinstance(rows, numpy.ndarray) or rows.dtype.kind != "f" or not 0 < rows.size <= MAX_NUMBERS:
        return False
    least, most = float(rows.min()), float(rows.max())
    return -_UNIT <= least <= most <= _UNIT and most > least


def _has_no_statistics(layer: Any) -> bool:
    """A `Normalization` that has neither been adapted nor been given anything: its mean is 0, its variance 1."""
    if type(layer).__name__ != "Normalization" or getattr(layer, "input_mean", layer) is not None:
        return False
    known = [getattr(layer, name, None) for name in ("adapt_mean", "adapt_variance")]
    if any(v is None for v in known):
        return not getattr(layer, "built", True)
    inner = [inner_of(v) for v in known]
    if not all(compat_graph.is_local_variable(v) for v in inner):
        return False
    mean, variance = (v.numpy() for v in inner)
    return not bool(mean.any()) and bool((variance == 1).all())


def _leaves_apart(layer: Any, rows: Any) -> bool:
    """A `Normalization` that has no number for each column: what it gives of these rows has its columns still apart."""
    axis = getattr(layer, "axis", None) if type(layer).__name__ == "Normalization" else -1
    axes = axis if isinstance(axis, (tuple, list)) else () if axis is None else (axis,)
    if any(a in (-1, getattr(rows, "ndim", 0) - 1) for a in axes):
        return False
    numpy = sys.modules["numpy"]
    if not isinstance(rows, numpy.ndarray) or rows.dtype.kind not in "fiu" or not 0 < rows.size <= MAX_COLUMNS:
        return False
    known: list[Any] = [getattr(layer, name, None) for name in ("mean", "variance")]
    if rows.ndim not in (2, 3) or not all(compat.is_eager(v) for v in known):
        return False
    mean, variance = (v.numpy().astype("float64") for v in known)
    return stay_apart((rows.astype("float64") - mean) / numpy.sqrt(variance + _TINY))


def _is_of_rows(convolution: Any, layer: Any) -> bool:
    """Whether a batch normalisation right after a convolution is over another axis than its channels."""
    axis, rank = getattr(layer, "axis", None), getattr(convolution, "rank", None)
    return type(layer).__name__ == "BatchNormalization" and axis == 1 and isinstance(rank, int) and rank >= 1
