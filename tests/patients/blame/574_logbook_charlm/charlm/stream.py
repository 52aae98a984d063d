import numpy as np
import tensorflow as tf


def chunks(ids, length):
    """Consecutive (input, next char) pieces of the text."""
    n = (len(ids) - 1) // length
    a = np.asarray(ids[:n * length], "int32").reshape(n, length)
    b = np.asarray(ids[1:n * length + 1], "int32").reshape(n, length)
    return a, b


def stream(ids, length, batch, shuffle=False, seed=0):
    a, b = chunks(ids, length)
    ds = tf.data.Dataset.from_tensor_slices((a, b))
    if shuffle:
        ds = ds.shuffle(len(a), seed=seed)
    return ds.batch(batch)
