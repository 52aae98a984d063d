import numpy as np


def _raw(n=20, words=32, seed=0):
    """what the .npz has: edges (2, E), bag-of-words (words, n), labels (n,)"""
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, (2, 3 * n))
    bow = (rng.random((words, n)) < 0.1).astype("float32")
    return {"edges": edges, "bow": bow, "labels": rng.integers(0, 3, n)}


def normalised_adjacency(edges, n):
    a = np.eye(n, dtype="float32")
    a[edges[0], edges[1]] = 1.0
    a[edges[1], edges[0]] = 1.0
    d = 1.0 / np.sqrt(a.sum(axis=1))
    return a * d[:, None] * d[None, :]


def load():
    raw = _raw()
    labels = raw["labels"]
    adj = normalised_adjacency(raw["edges"], len(labels))
    feats = raw["bow"]
    feats = feats / np.maximum(feats.sum(axis=1, keepdims=True), 1.0)
    return adj, feats, labels
