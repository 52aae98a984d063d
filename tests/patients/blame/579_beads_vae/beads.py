"""Fluorescence microscopy of diffusing beads: small blurred spots, Poisson noise."""
import numpy as np


def frame(size, rng):
    yy, xx = np.mgrid[:size, :size]
    img = np.full((size, size), 0.05)
    for _ in range(rng.integers(1, 4)):
        cy, cx = rng.uniform(4, size - 4, 2)
        w = rng.uniform(1.5, 3.0)
        img += rng.uniform(0.4, 0.8) * np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / (2 * w ** 2))
    return np.clip(rng.poisson(60 * img) / 60.0, 0, 1)


def movie(frames, size, seed):
    rng = np.random.default_rng(seed)
    return np.stack([frame(size, rng) for _ in range(frames)])[..., None].astype("float32")
