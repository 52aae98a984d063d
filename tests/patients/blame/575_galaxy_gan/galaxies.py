"""Sersic discs with spiral arms on a noisy sky, scaled to [-1, 1]."""
import numpy as np
import tensorflow as tf


def galaxy(size, rng):
    c = (size - 1) / 2
    yy, xx = (np.mgrid[:size, :size] - c) / c
    th = rng.uniform(0, np.pi)
    u = xx * np.cos(th) + yy * np.sin(th)
    v = (-xx * np.sin(th) + yy * np.cos(th)) / rng.uniform(0.4, 1.0)
    r = np.hypot(u, v) + 1e-3
    phi = np.arctan2(v, u)
    arms = 1 + 0.5 * np.cos(2 * phi - rng.uniform(3, 6) * np.log(r))
    img = np.exp(-r / rng.uniform(0.15, 0.3)) * arms + 0.02 * rng.normal(size=r.shape)
    img = np.arcsinh(10 * img)
    return 2 * (img - img.min()) / (img.max() - img.min()) - 1


def dataset(n, size, batch, seed):
    rng = np.random.default_rng(seed)
    x = np.stack([galaxy(size, rng) for _ in range(n)])[..., None].astype("float32")
    ds = tf.data.Dataset.from_tensor_slices(x).shuffle(n, seed=seed).repeat()
    return ds.batch(batch, drop_remainder=True)
