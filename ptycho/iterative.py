"""What people use without a network: an iterative solver that joins all patterns of a scan in one object.

NumPy and SciPy alone, so that it owes nothing to the model that it is compared with.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy import fft

#: amplitudes far below this are rounding errors: their phase means nothing
_DARK = 1e-6


def solve(
    amplitudes: np.ndarray,
    positions: np.ndarray,
    probe: np.ndarray,
    seed: int = 0,
    regularisation: float = 0.2,
    cooling: float = 20.0,
) -> Iterator[tuple[np.ndarray, tuple[float, float]]]:
    """The object after each sweep over all patterns, from an empty one; without end.

    The regularised ptychographical iterative engine (Maiden et al. 2017, Optica 4, 736): pattern by pattern, in random
    order, the far field takes the measured modulus, and the exit wave's change is carried over to the object. The probe
    is known. Steps shrink by the number of sweeps, so that noise averages out and the result converges.

    Args:
        amplitudes: (K N N) measured, normalised as `PtychoDataContainer.X`.
        positions: (K 2), (x, y) of the patterns' centres, pixels.
        probe: (N N) complex.
        seed: of the order of the patterns.
        regularisation: 0 divides by the probe's intensity at each pixel, 1 by its maximum.
        cooling: sweeps after which steps have half their length.

    Yields:
        The object (M L) complex64, and (x, y) of its pixel [0, 0]. The array is the solver's own: copy what you keep.

    """
    side = probe.shape[0]
    corners = positions - (side - 1) / 2
    whole = np.floor(corners).astype(int)
    origin = whole.min(axis=0)
    columns, rows = (whole - origin).T
    moved = _moved(probe, corners - whole)
    measured = fft.ifftshift(amplitudes, axes=(1, 2)).astype(np.float32) * side
    light = np.abs(probe) ** 2
    weights = np.conj(moved) / ((1 - regularisation) * np.abs(moved) ** 2 + regularisation * light.max())
    found = np.ones((rows.max() + side, columns.max() + side), np.complex64)
    rng = np.random.default_rng(seed)
    sweep = 0
    while True:
        step = np.float32(1 / (1 + sweep / cooling))
        for k in rng.permutation(len(positions)):
            window = found[rows[k] : rows[k] + side, columns[k] : columns[k] + side]
            far = fft.fft2(moved[k] * window, overwrite_x=True)
            far *= measured[k] / np.maximum(np.abs(far), _DARK) - 1
            window += step * weights[k] * fft.ifft2(far, overwrite_x=True)
        sweep += 1
        yield found, (float(origin[0]), float(origin[1]))


def _moved(probe: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """The probe moved by each of `shifts` (K 2), fractions of a pixel, (K N N) complex64."""
    frequency = fft.fftfreq(probe.shape[0])
    ramps = np.exp(-2j * np.pi * (shifts[:, 0, None, None] * frequency + shifts[:, 1, None, None] * frequency[:, None]))
    return fft.ifft2(fft.fft2(probe) * ramps).astype(np.complex64)
