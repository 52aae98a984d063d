import numpy as np
import tensorflow as tf

from .log import GENRES


def item_side(meta):
    onehot = np.eye(GENRES)[meta["genre"].to_numpy()]
    pop = meta["log_pop"].to_numpy()
    pop = (pop - pop.mean()) / pop.std()
    return np.concatenate([onehot, pop[:, None]], axis=1).astype("float32")


def batches(log, side, batch, seed):
    users = log["user"].to_numpy("int32")
    items = log["item"].to_numpy("int32")
    ds = tf.data.Dataset.from_tensor_slices((users, items, side[items]))
    return ds.shuffle(len(log), seed=seed).batch(batch, drop_remainder=True)
