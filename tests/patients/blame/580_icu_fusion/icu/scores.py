import numpy as np


def auroc(y, p):
    order = np.argsort(p, kind="stable")
    rank = np.empty(len(p))
    rank[order] = np.arange(1, len(p) + 1)
    pos = y > 0.5
    return (rank[pos].sum() - pos.sum() * (pos.sum() + 1) / 2) / (pos.sum() * (~pos).sum())


def bootstrap(y, p, fn, n=200, seed=0):
    rng = np.random.default_rng(seed)
    vals = []
    for _ in range(n):
        i = rng.integers(len(y), size=len(y))
        if 0 < y[i].sum() < len(y):
            vals.append(fn(y[i], p[i]))
    return np.percentile(vals, [2.5, 97.5])
