import numpy as np


def stratified(y, k, seed):
    rng = np.random.default_rng(seed)
    fold = np.empty(len(y), int)
    for value in np.unique(y):
        idx = rng.permutation(np.flatnonzero(y.ravel() == value))
        fold[idx] = np.arange(len(idx)) % k
    return [(np.flatnonzero(fold != j), np.flatnonzero(fold == j)) for j in range(k)]
