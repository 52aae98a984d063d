import numpy as np
import tensorflow as tf

PIXELS = 12


def radiographs(n, share, seed):
    rng = np.random.default_rng(seed)
    y = np.zeros(n, np.int32)
    y[: int(n * share)] = 1
    x = rng.normal(0, 1, (n, PIXELS, PIXELS, 1))
    x[y == 1, 4:8, 4:8] += 0.9
    order = rng.permutation(n)
    return x[order].astype("float32"), y[order]


def inspection_log(seed=5):
    """One shift: sound welds first, the quarantined defects filed at the end."""
    x, y = radiographs(110, 0.0, seed)
    xd, yd = radiographs(14, 1.0, seed + 1)
    return np.concatenate([x, xd]), np.concatenate([y, yd])


def batched(x, y, batch, training):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        ds = ds.shuffle(len(x), seed=1)
    return ds.batch(batch, drop_remainder=True).prefetch(1)
