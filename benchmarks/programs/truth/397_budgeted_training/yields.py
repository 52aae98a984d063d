import numpy as np


def vineyards(count=220, seed=15):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 8)).astype("float32")
    y = np.log1p(np.exp(x[:, :1] + 0.4 * x[:, 1:2]))
    return (x[:180], y[:180]), (x[180:], y[180:])
