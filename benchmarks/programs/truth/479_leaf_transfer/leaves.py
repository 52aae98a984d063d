import numpy as np


def leaves(n, kinds, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, kinds, n)
    centre = np.random.default_rng(99).standard_normal((kinds, 10)) * 2
    return (centre[y] + rng.standard_normal((n, 10))).astype("float32"), y
