"""Figures of merit of a reconstruction, in NumPy and SciPy alone. Images are real, (M L); names say the rest."""

from __future__ import annotations

import numpy as np
from scipy import ndimage


def align_phase(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Turn complex `found` (M L) by the one constant phase that brings it nearest to `truth` (M L).

    Intensities do not determine that constant. Nothing else is adjusted: no ramp, no scale.
    """
    return found * np.exp(-1j * np.angle(np.vdot(truth, found)))


def wrapped(phase: np.ndarray) -> np.ndarray:
    """Phases in radians, wrapped to -pi to pi."""
    return np.angle(np.exp(1j * phase))


def mae(found: np.ndarray, truth: np.ndarray) -> float:
    """Mean absolute error, in the unit of the images."""
    return float(np.abs(found - truth).mean())


def psnr(found: np.ndarray, truth: np.ndarray) -> float:
    """Peak signal-to-noise ratio in dB; the peak is the range of `truth`."""
    return float(10 * np.log10(_range(truth) ** 2 / max(float(np.square(found - truth).mean()), 1e-30)))


def ssim(found: np.ndarray, truth: np.ndarray) -> float:
    """Mean structural similarity (Wang et al. 2004, IEEE Trans. Image Process. 13, 600): 1 for equal images.

    Gaussian window of standard deviation 1.5 pixels, K1 = 0.01, K2 = 0.03, range that of `truth`; the 5 pixels at
    the rim, whose window reaches over the edge, are left out.
    """
    c1, c2 = (0.01 * _range(truth)) ** 2, (0.03 * _range(truth)) ** 2
    found, truth = found.astype(float), truth.astype(float)

    def mean(image: np.ndarray) -> np.ndarray:
        return ndimage.gaussian_filter(image, 1.5, truncate=3.5)

    a, b = mean(found), mean(truth)
    var_a, var_b, cov = mean(found**2) - a**2, mean(truth**2) - b**2, mean(found * truth) - a * b
    similarity = ((2 * a * b + c1) * (2 * cov + c2)) / ((a**2 + b**2 + c1) * (var_a + var_b + c2))
    return float(similarity[5:-5, 5:-5].mean())


def frc(found: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Fourier ring correlation (van Heel 1987, Ultramicroscopy 21, 95) by ring, rings of one frequency pixel.

    Both images are cut to a square of even side M, freed of their mean and tapered by a Hann window. Entry r is
    that of spatial frequency r / M per pixel, for r = 0 to M / 2.
    """
    side = min(found.shape) // 2 * 2
    window = np.outer(np.hanning(side), np.hanning(side))
    spectra = [np.fft.fft2((image[:side, :side] - image[:side, :side].mean()) * window) for image in (found, truth)]
    frequency = np.fft.fftfreq(side) * side
    ring = np.rint(np.hypot(frequency[:, None], frequency[None, :])).astype(int).ravel()

    def total(image: np.ndarray) -> np.ndarray:
        return np.bincount(ring, image.ravel())[: side // 2 + 1]

    a, b = spectra
    norm = np.sqrt(total(np.abs(a) ** 2) * total(np.abs(b) ** 2))
    return total((a * b.conj()).real) / np.maximum(norm, 1e-30)


def frc50(found: np.ndarray, truth: np.ndarray) -> float:
    """Spatial frequency, in 1 / pixel, at which the Fourier ring correlation first falls below 0.5.

    0.5, the Nyquist frequency, if it never does. Ring 0, the mean, is left out.
    """
    curve = frc(found, truth)
    below = np.flatnonzero(curve[1:] < 0.5)
    return float(below[0] + 1) / (2 * (len(curve) - 1)) if below.size else 0.5


def _range(image: np.ndarray) -> float:
    return max(float(image.max() - image.min()), 1e-12)


def compare(found: np.ndarray, truth: np.ndarray) -> dict[str, dict[str, float]]:
    """All figures of complex `found` against `truth`, both (M L) on the same pixels.

    The phase is aligned by one constant (`align_phase`); the amplitude is taken as it is.

    Returns:
        `{"amplitude": {"ssim", "mae", "psnr", "frc50"}, "phase": the same}`; mae in units of transmission and in
        radians, psnr in dB, frc50 in 1 / pixel.

    """
    true_phase = np.angle(truth * np.exp(-1j * np.angle(truth.sum())))
    # unwrapped about the truth: an error of 2 pi is none
    phase = true_phase + wrapped(np.angle(align_phase(found, truth)) - np.angle(truth))
    pairs = {"amplitude": (np.abs(found), np.abs(truth)), "phase": (phase, true_phase)}
    figures = {"ssim": ssim, "mae": mae, "psnr": psnr, "frc50": frc50}
    return {part: {name: figure(*pair) for name, figure in figures.items()} for part, pair in pairs.items()}
