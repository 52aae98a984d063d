import numpy as np


def traces(count, length=256, seed=0):
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 2, count)
    t = np.arange(length) / 50.0
    f = np.where(kind, 12.0, 3.0)[:, None]
    wave = np.sin(2 * np.pi * f * t) * np.exp(-t) + 0.3 * rng.normal(size=(count, length))
    return wave.astype("float32"), kind.astype("float32")[:, None]
