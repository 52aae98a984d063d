import numpy as np

CADENCES = 256


def star(period, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(CADENCES)
    flux = 1.0 + 0.02 * np.sin(2 * np.pi * t / period) + 0.004 * rng.standard_normal(CADENCES)
    quality = np.zeros(CADENCES, np.int32)
    bad = rng.choice(CADENCES, 19, replace=False)
    quality[bad] = rng.choice([1, 4, 128], bad.size)
    flux[bad] += rng.normal(0, 0.3, bad.size)
    return flux.astype(np.float32), quality
