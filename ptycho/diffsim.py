"""Simulation in NumPy, independent of the model's own TensorFlow physics."""

from __future__ import annotations

import numpy as np
from scipy import ndimage


def lines_object(size: int, rng: np.random.Generator, density: float = 0.5) -> np.ndarray:
    """A random object of crossing soft lines, (size size) complex64.

    Amplitude within 0.5 to 1, phase within 0 to about 1.2 radians, both from the same lines.

    Args:
        size: side in pixels.
        rng: source of randomness.
        density: lines per 10 pixels of side, times 4.

    """
    image = np.zeros((size, size))
    y, x = np.mgrid[:size, :size]
    for _ in range(max(4, int(density * size * 0.4))):
        angle, distance = rng.uniform(0, np.pi), rng.uniform(-0.7, 0.7) * size
        width = rng.uniform(0.8, 2.5)
        offset = (x - size / 2) * np.cos(angle) + (y - size / 2) * np.sin(angle) - distance
        image += rng.uniform(0.4, 1.0) * np.exp(-((offset / width) ** 2))
    image = 1 - np.exp(-ndimage.gaussian_filter(image, 0.7))
    return ((1 - 0.5 * image) * np.exp(1.2j * image)).astype(np.complex64)


def extract_patches(obj: np.ndarray, xcoords: np.ndarray, ycoords: np.ndarray, N: int) -> np.ndarray:
    """Patches (K N N) of an object, centred at (x, y) in its pixel coordinates, interpolated bilinearly.

    Raises ValueError if a patch would reach over the edge of the object.
    """
    left, top = xcoords - (N - 1) / 2, ycoords - (N - 1) / 2
    x0, y0 = np.floor(left).astype(int), np.floor(top).astype(int)
    if min(x0.min(), y0.min()) < 0 or x0.max() + N + 1 > obj.shape[1] or y0.max() + N + 1 > obj.shape[0]:
        raise ValueError(f"positions reach over the edge of the object {obj.shape} with patches of {N} pixels")
    patches = np.empty((len(xcoords), N, N), np.complex64)
    for k, (i, j, fy, fx) in enumerate(zip(y0, x0, top - y0, left - x0, strict=True)):
        window = obj[i : i + N + 1, j : j + N + 1]
        rows = (1 - fy) * window[:-1] + fy * window[1:]
        patches[k] = (1 - fx) * rows[:, :-1] + fx * rows[:, 1:]
    return patches


def diffract(patches: np.ndarray, probe: np.ndarray) -> np.ndarray:
    """Far-field intensities (K N N) of patches (K N N) under a probe (N N), unitary transform, centred."""
    spectrum = np.fft.fft2(patches * probe, axes=(1, 2), norm="ortho")
    return np.abs(np.fft.fftshift(spectrum, axes=(1, 2))) ** 2


def detect(intensities: np.ndarray, nphotons: float, rng: np.random.Generator) -> np.ndarray:
    """Photon counts (K N N) float32 with Poisson noise; a pattern has `nphotons` of them on average."""
    scale = nphotons / intensities.sum(axis=(1, 2)).mean()
    return rng.poisson(intensities * scale).astype(np.float32)


def raster_positions(
    size: int, N: int, step: float, jitter: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Centres (x, y) of a raster scan with random deviations, such that all patches lie within the object.

    Args:
        size: side of the object, pixels.
        N: side of a patch, pixels.
        step: distance of neighbours, pixels.
        jitter: largest deviation along each axis, pixels.
        rng: source of randomness.

    """
    margin = N / 2 + jitter + 1
    axis = np.arange(margin, size - margin, step)
    if axis.size == 0:
        raise ValueError(f"an object of {size} pixels has no room for a scan with patterns of {N} pixels")
    x, y = (a.ravel() for a in np.meshgrid(axis, axis))
    return x + rng.uniform(-jitter, jitter, x.shape), y + rng.uniform(-jitter, jitter, y.shape)
