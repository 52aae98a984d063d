import numpy as np
import tensorflow as tf


def coarsen(u, every):
    return u[:, ::every]


def add_grid(u):
    x = np.linspace(0, 1, u.shape[1], endpoint=False)
    return np.stack([u, np.broadcast_to(x, u.shape)], axis=-1)


def datasets(u0, u1, cfg, val=0.25):
    a = add_grid(coarsen(u0, cfg["subsample"])).astype("float32")
    b = coarsen(u1, cfg["subsample"])[..., None].astype("float32")
    n = int(len(a) * (1 - val))
    train = tf.data.Dataset.from_tensor_slices((a[:n], b[:n])).shuffle(n, seed=cfg["seed"])
    test = tf.data.Dataset.from_tensor_slices((a[n:], b[n:]))
    return train.batch(cfg["batch"]), test.batch(cfg["batch"])
