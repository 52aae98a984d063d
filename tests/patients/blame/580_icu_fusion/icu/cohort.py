"""Simulated ICU stays: hourly vitals plus demographics and admission type."""
import numpy as np
import tensorflow as tf

VITALS = ("hr", "map", "resp", "spo2", "temp", "lactate")
STATIC = ("age", "sex", "emergency")


def stays(n, hours, seed):
    rng = np.random.default_rng(seed)
    static = np.stack([rng.normal(0, 1, n), rng.integers(2, size=n), rng.integers(2, size=n)], axis=1)
    drift = 0.6 * rng.normal(size=n) + 0.3 * static[:, 2]
    vit = np.cumsum(0.2 * rng.normal(size=(n, hours, len(VITALS))), axis=1)
    ramp = np.linspace(0, 1, hours)
    for k, sign in ((0, 1), (1, -1), (5, 1)):
        vit[:, :, k] += sign * drift[:, None] * ramp[None, :]
    logit = 1.6 * drift + 0.6 * static[:, 0] + 0.4 * vit[:, -1, 5] - 0.5
    y = (rng.random(n) < 1 / (1 + np.exp(-logit))).astype("float32")
    return {"vitals": vit.astype("float32"), "static": static.astype("float32")}, y[:, None]


def dataset(x, y, batch, shuffle, seed=0):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if shuffle:
        ds = ds.shuffle(len(y), seed=seed)
    return ds.batch(batch)
