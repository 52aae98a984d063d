import numpy as np


def matrix(y, pred, k):
    cm = np.zeros((k, k), int)
    np.add.at(cm, (y, pred), 1)
    return cm


def kappa(cm):
    n = cm.sum()
    observed = np.trace(cm) / n
    expected = (cm.sum(0) * cm.sum(1)).sum() / n ** 2
    return (observed - expected) / (1 - expected)


def worst_pair(cm, names):
    off = cm - np.diag(np.diag(cm))
    i, j = np.unravel_index(off.argmax(), off.shape)
    return f"{names[i]} taken for {names[j]}: {off[i, j]} pixels"
