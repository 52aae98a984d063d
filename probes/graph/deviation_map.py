"""Where two results are apart: how far in each row of the batch, and where in the worst row. NumPy only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .measure import Array, Results, is_apart, wide

MOST_ROWS = 64
SIDE = 32
MOST_MAPS = 4
_LEAST_SIDE = 4


def add_maps(agreements: Sequence[dict[str, Any]], results: Mapping[str, Results]) -> None:
    """Put a "map" into the outputs that are farthest apart, a few of them. `results` are those of each way; what
    compares others is left as it is.
    """
    ours = [a for a in agreements if all(way in results for way in a["ways"])]
    apart = [a for a in ours if is_apart(a) and a["deviation"] is not None]
    for told in sorted(apart, key=lambda a: float(a["deviation"]), reverse=True)[:MOST_MAPS]:
        one, other = (results[way].get(told["output"]) for way in told["ways"])
        told["map"] = deviation_map(one, other)


def deviation_map(a: Array | None, b: Array | None, numbers: Sequence[int] | None = None) -> dict[str, Any] | None:
    """{"rows": [[row, deviation], ...], "block": rows in each, "row": the worst one, "shape": [height, width] of its
    picture or None, "cells": its deviations, at most 32 by 32}.

    A deviation is relative to the largest magnitude of both arrays; several rows or pixels in one field count as the
    worst of them, so that a single wrong one stays to be seen. A row of more than two axes is seen along its two
    longest ones. `numbers` are the rows' own where they are some of a batch. None for arrays without rows, or of two
    shapes.
    """
    if a is None or b is None or a.shape != b.shape or not a.ndim or not a.size or a.dtype.kind not in "fciubV":
        return None
    x, y = wide(a), wide(b)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(x - y)
        apart[(x == y) | (np.isnan(x) & np.isnan(y))] = 0.0
    apart[~np.isfinite(apart)] = np.inf
    finite = [np.abs(v[np.isfinite(v)]) for v in (x, y)]
    scale = max((float(v.max()) for v in finite if v.size), default=0.0) or 1.0
    apart = apart / scale
    own = list(range(len(apart))) if numbers is None else [int(n) for n in numbers]
    by_row = apart.reshape(len(apart), -1).max(axis=1)
    worst = int(by_row.argmax())
    block = -(-len(by_row) // MOST_ROWS)
    sorted_rows = np.argsort(own, kind="stable")
    fields = [sorted_rows[n : n + block] for n in range(0, len(by_row), block)]
    picture = _picture(apart[worst])
    return {
        "rows": [[own[int(f[0])], _number(by_row[f].max())] for f in fields],
        "block": block,
        "row": own[worst],
        "shape": None if picture is None else list(picture.shape),
        "cells": None if picture is None else [[_number(v) for v in line] for line in _coarse(picture)],
    }


def _picture(row: Array) -> Array | None:
    """A row's deviations along its two longest axes; None where it has no such extent."""
    long = [axis for axis in range(row.ndim) if row.shape[axis] >= _LEAST_SIDE]
    if len(long) < 2:
        return None
    kept = sorted(sorted(long, key=lambda axis: -row.shape[axis])[:2])
    found: Array = row.max(axis=tuple(axis for axis in range(row.ndim) if axis not in kept))
    return found


def _coarse(picture: Array) -> Array:
    for axis in (0, 1):
        step = -(-picture.shape[axis] // SIDE)
        picture = np.maximum.reduceat(picture, np.arange(0, picture.shape[axis], step), axis=axis)
    return picture


def _number(value: float) -> float | str:
    return float(f"{value:.3g}") if np.isfinite(value) else "inf"
