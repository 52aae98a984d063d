import numpy as np

FS = 50
EPOCH_SECONDS = 30


def time_axis():
    return np.linspace(0.0, EPOCH_SECONDS, FS * EPOCH_SECONDS + 1)


def night(n_epochs, seed=11):
    """Two derivations per epoch; stage sets the dominating band."""
    rng = np.random.default_rng(seed)
    t = time_axis()
    stages = rng.integers(0, 5, size=n_epochs)
    bands = np.array([10.0, 6.0, 13.0, 1.5, 4.0])
    x = np.empty((n_epochs, t.size, 2), dtype=np.float32)
    for i, s in enumerate(stages):
        for c in range(2):
            x[i, :, c] = np.sin(2 * np.pi * bands[s] * t + rng.uniform(0, 6)) + 0.4 * rng.standard_normal(t.size)
    return x, stages.astype(np.int32)
