import numpy as np


def objects(n, points, seed):
    """Piecewise constant tissue profiles with smooth edges."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, points)
    out = np.zeros((n, points))
    for k in range(n):
        for _ in range(rng.integers(2, 5)):
            c, w, a = rng.uniform(-0.7, 0.7), rng.uniform(0.05, 0.3), rng.uniform(0.2, 1)
            out[k] += a / (1 + np.exp((np.abs(x - c) - w) / 0.02))
    return (out / out.max(axis=1, keepdims=True)).astype("float32")


def sampling_mask(points, acceleration, center, seed):
    rng = np.random.default_rng(seed)
    mask = rng.random(points) < 1.0 / acceleration
    mid = points // 2
    mask[mid - center // 2: mid + center // 2] = True
    return np.fft.ifftshift(mask).astype("float32")
