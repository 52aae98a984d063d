"""Layers of a model that do not fit the rows that it is trained on: a second scaling, statistics that nobody gave, and
batch normalisation of another axis than that of the channels.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator
from typing import Any

from .. import compat_graph
from .digests import inner_of

_SMALL = 1 / 64
"""A `Rescaling` by less takes bytes."""
_UNIT = 1.0 + 1e-6
MAX_LAYERS = 500
MAX_NUMBERS = 64_000_000
"""Of the rows: to look through more takes too long while the target waits."""


def odd_layers(model: Any, rows: Any) -> Iterator[str]:
    """What is odd: `rescaled`, `unadapted`, `norm-axis`."""
    flat = getattr(model, "_flatten_layers", None)
    layers = list(flat())[:MAX_LAYERS] if flat is not None else []
    if any(_makes_small(layer) for layer in layers) and _is_small(rows):
        yield "rescaled"
    if any(_has_no_statistics(layer) for layer in layers):
        yield "unadapted"
    formats = {getattr(layer, "data_format", None) for layer in layers if hasattr(layer, "kernel_size")}
    if formats == {"channels_last"}:
        pairs = itertools.pairwise(layers)
        if any(hasattr(one, "filters") and _is_of_rows(one, other) for one, other in pairs):
            yield "norm-axis"


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


def _is_of_rows(convolution: Any, layer: Any) -> bool:
    """Whether a batch normalisation right after a convolution is over another axis than its channels."""
    axis, rank = getattr(layer, "axis", None), getattr(convolution, "rank", None)
    return type(layer).__name__ == "BatchNormalization" and axis == 1 and isinstance(rank, int) and rank >= 1
