"""Comparison of a reconstruction with the true object."""

from __future__ import annotations

import numpy as np
from scipy import ndimage

from ptycho.train_pinn import Reconstruction


def compare_to_truth(result: Reconstruction, truth: np.ndarray) -> dict[str, float]:
    """Mean absolute errors where the reconstruction covers the object.

    Amplitudes are scaled by one factor and phases turned by one constant, the best ones, and no more:
    neither can be known from intensities.

    Returns:
        `amplitude_mae` (the true amplitude is 1 at most) and `phase_mae` in radians.

    """
    seen = result.coverage > 0.5
    (x, y), (rows, columns) = result.origin, seen.shape
    grid = np.meshgrid(y + np.arange(rows), x + np.arange(columns), indexing="ij")
    true = sum(
        unit * ndimage.map_coordinates(part, grid, order=1) for unit, part in ((1, truth.real), (1j, truth.imag))
    )[seen]
    found = result.stitched[seen]
    phase = np.angle(found * np.conj(true))
    phase = np.angle(np.exp(1j * (phase - np.angle(np.vdot(true, found)))))
    amplitude = np.abs(found)
    amplitude = amplitude * (np.vdot(amplitude, np.abs(true)) / max(np.vdot(amplitude, amplitude), 1e-12))
    return {
        "amplitude_mae": float(np.abs(amplitude - np.abs(true)).mean()),
        "phase_mae": float(np.abs(phase).mean()),
    }
