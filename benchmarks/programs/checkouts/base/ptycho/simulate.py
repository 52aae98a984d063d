"""A synthetic specimen and its diffraction patterns."""

import numpy as np

from . import geometry, params


def smooth_field(rng, side, cutoff):
    """Band-limited noise, scaled to the interval [0, 1]."""
    freq = np.fft.fftfreq(side)
    fy, fx = np.meshgrid(freq, freq, indexing="ij")
    spectrum = np.fft.fft2(rng.normal(size=(side, side)))
    out = np.fft.ifft2(spectrum * np.exp(-(fy ** 2 + fx ** 2) / (2 * cutoff ** 2))).real
    out -= out.min()
    return out / out.max()


def specimen(rng, side):
    """Complex transmission of the specimen."""
    amplitude = 1.0 - 0.35 * smooth_field(rng, side, 0.06)
    phase = 1.4 * (smooth_field(rng, side, 0.05) - 0.5)
    return (amplitude * np.exp(1j * phase)).astype("complex64")


def probe():
    n, sigma = params.get("N"), params.get("probe_sigma")
    r = np.arange(n) - (n - 1) / 2
    d2 = r[:, None] ** 2 + r[None, :] ** 2
    wave = np.exp(-d2 / (2 * sigma ** 2)) * np.exp(0.02j * d2)
    return (wave / np.sqrt(np.mean(np.abs(wave) ** 2))).astype("complex64")


def cut(obj, position):
    """Patch of the object around a position, with bilinear interpolation."""
    n = params.get("N")
    top = position - (n - 1) / 2
    whole = np.floor(top).astype(int)
    fy, fx = top - whole
    y, x = whole
    block = obj[y:y + n + 1, x:x + n + 1]
    return ((1 - fy) * (1 - fx) * block[:-1, :-1] + (1 - fy) * fx * block[:-1, 1:]
            + fy * (1 - fx) * block[1:, :-1] + fy * fx * block[1:, 1:])


def diffraction(obj, positions, rng):
    """Noisy amplitudes, one (N, N) frame for each position."""
    wave = probe()
    n = params.get("N")
    patches = np.stack([cut(obj, p) for p in positions.reshape(-1, 2)])
    far = np.fft.fftshift(np.fft.fft2(patches * wave), axes=(-2, -1)) / n
    intensity = np.abs(far) ** 2
    scale = params.get("photons") / intensity.sum(axis=(1, 2)).mean()
    counts = rng.poisson(intensity * scale)
    return np.sqrt(counts / scale).astype("float32")


def acquire():
    """Runs the whole experiment: returns the object, positions and frames."""
    rng = np.random.default_rng(params.get("seed"))
    positions = geometry.raster_positions(rng)
    obj = specimen(rng, geometry.object_side())
    return obj, positions, diffraction(obj, positions, rng)
