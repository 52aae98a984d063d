import numpy as np


def tiles(n, size, seed=0):
    """Fractal looking relief, by summed octaves of noise."""
    rng = np.random.default_rng(seed)
    out = np.zeros((n, size, size), np.float32)
    step = size
    while step >= 1:
        m = size // step
        noise = rng.standard_normal((n, m, m))
        out += (step / size) * np.kron(noise, np.ones((step, step))).astype(np.float32)
        step //= 2
    return out[..., None]


def coarsen(fine, factor):
    n, h, w, c = fine.shape
    return fine.reshape(n, h // factor, factor, w // factor, factor, c).mean((2, 4))
