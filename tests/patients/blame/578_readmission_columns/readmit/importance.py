"""Permutation importance on raw columns, so that one-hot blocks move together."""
import numpy as np


def permuted(df, column, rng):
    out = df.copy()
    out[column] = rng.permutation(df[column].to_numpy())
    return out


def log_loss(y, p):
    p = np.clip(p, 1e-6, 1 - 1e-6)
    return float(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))


def importance(predict, df, y, columns, seed=0):
    rng = np.random.default_rng(seed)
    base = log_loss(y, predict(df))
    rise = {c: log_loss(y, predict(permuted(df, c, rng))) - base for c in columns}
    return sorted(rise.items(), key=lambda kv: -kv[1])
