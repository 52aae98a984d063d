"""Comparison of a reconstruction with the true object, on the same pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ptycho import metrics
from ptycho.raw_data import RawData
from ptycho.train_pinn import Reconstruction


def common_region(
    stitched: np.ndarray, origin: tuple[float, float], truth: np.ndarray, scan: RawData
) -> tuple[np.ndarray, np.ndarray]:
    """Reconstruction and truth within the rectangle of the scan's positions, where light came from all sides.

    This is the border crop of the studies: nothing outside of the outermost positions counts.

    Args:
        stitched: (M L) complex.
        origin: (x, y) of its pixel [0, 0], whole numbers.
        truth: the object, pixel [0, 0] at (0, 0).
        scan: for its positions.

    Returns:
        Both, of one shape. Where the reconstruction does not reach, its pixels are 0.

    """
    (left, right), (top, bottom) = (
        (int(np.ceil(axis.min())), int(np.floor(axis.max())) + 1) for axis in (scan.xcoords, scan.ycoords)
    )
    x, y = (round(value) for value in origin)
    found = np.zeros((bottom - top, right - left), stitched.dtype)
    first_row, last_row = max(top, y), min(bottom, y + stitched.shape[0])
    first_column, last_column = max(left, x), min(right, x + stitched.shape[1])
    if first_row < last_row and first_column < last_column:
        found[first_row - top : last_row - top, first_column - left : last_column - left] = stitched[
            first_row - y : last_row - y, first_column - x : last_column - x
        ]
    return found, truth[top:bottom, left:right]


def compare_to_truth(result: Reconstruction, truth: np.ndarray, scan: RawData) -> dict[str, Any]:
    """The figures of `ptycho.metrics.compare` within the region of the scan's positions."""
    return metrics.compare(*common_region(result.stitched, result.origin, truth, scan))
