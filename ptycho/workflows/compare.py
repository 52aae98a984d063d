"""Comparison of a reconstruction with the true object, on the same pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptycho import metrics
from ptycho.raw_data import RawData
from ptycho.train_pinn import Reconstruction

#: left, top, right and bottom edge of a rectangle, pixels of the object
Rectangle = tuple[int, int, int, int]


def common_region(
    stitched: np.ndarray, origin: tuple[float, float], truth: np.ndarray, scan: RawData, margin: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Reconstruction and truth within the rectangle of the scan's positions, where light came from all sides.

    This is the border crop of the studies: nothing outside of the outermost positions counts.

    Args:
        stitched: (M L) complex.
        origin: (x, y) of its pixel [0, 0], whole numbers.
        truth: the object, pixel [0, 0] at (0, 0).
        scan: for its positions.
        margin: pixels on each side that are taken besides.

    Returns:
        Both, of one shape. Where the reconstruction does not reach, its pixels are 0.

    """
    region = left, top, right, bottom = rectangle(scan, margin)
    return cut(stitched, origin, region), truth[top:bottom, left:right]


def rectangle(scan: RawData, margin: int = 0) -> Rectangle:
    """The rectangle of a scan's positions, with `margin` more pixels on each side."""
    low = (int(np.ceil(axis.min())) - margin for axis in (scan.xcoords, scan.ycoords))
    high = (int(np.floor(axis.max())) + 1 + margin for axis in (scan.xcoords, scan.ycoords))
    return (*low, *high)  # type: ignore[return-value]


def cut(stitched: np.ndarray, origin: tuple[float, float], region: Rectangle) -> np.ndarray:
    """A rectangle of an object (M L) whose first pixel is at `origin`, (x, y); 0 where the object does not reach."""
    left, top, right, bottom = region
    x, y = (round(value) for value in origin)
    found = np.zeros((bottom - top, right - left), stitched.dtype)
    first_row, last_row = max(top, y), min(bottom, y + stitched.shape[0])
    first_column, last_column = max(left, x), min(right, x + stitched.shape[1])
    if first_row < last_row and first_column < last_column:
        found[first_row - top : last_row - top, first_column - left : last_column - left] = stitched[
            first_row - y : last_row - y, first_column - x : last_column - x
        ]
    return found


def compare_to_truth(result: Reconstruction, truth: np.ndarray, scan: RawData) -> dict[str, Any]:
    """The figures of `ptycho.metrics.compare` within the region of the scan's positions."""
    return metrics.compare(*common_region(result.stitched, result.origin, truth, scan))
