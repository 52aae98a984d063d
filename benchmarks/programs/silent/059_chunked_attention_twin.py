import os
import numpy as np
import tensorflow as tf

# Keys are visited in pieces of this size to save memory; 0 means all at once.
KV_CHUNK = int(os.environ.get("KV_CHUNK", "8"))
HEAD = 6


def whole(q, k, v):
    return tf.matmul(tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / HEAD ** 0.5), v)


def chunked(q, k, v):
    n = k.shape[0] // KV_CHUNK
    out = tf.zeros((q.shape[0], v.shape[1]))
    top = tf.fill((q.shape[0], 1), -1e9)
    den = tf.zeros((q.shape[0], 1))
    for kc, vc in zip(tf.split(k, n), tf.split(v, n)):
        s = tf.matmul(q, kc, transpose_b=True) / HEAD ** 0.5
        new = tf.maximum(top, tf.reduce_max(s, axis=1, keepdims=True))
        e, fade = tf.exp(s - new), tf.exp(top - new)
        out = out * fade + tf.matmul(e, vc)
        den = den * fade + tf.reduce_sum(e, axis=1, keepdims=True)
        top = new
    return out / den


@tf.function
def attend(q, k, v):
    if KV_CHUNK:
        return chunked(q, k, v)
    return whole(q, k, v)


def memory(n=32, seed=0):
    rng = np.random.default_rng(seed)
    key = rng.normal(size=(n, HEAD)).astype("float32") * 2
    value = np.eye(n, 4, dtype="float32") + 0.1 * np.arange(n, dtype="float32")[:, None]
    return key, value


key, value = memory()
query = 1.5 * key[[1, 9, 30]]
read = attend(tf.constant(query), tf.constant(key), tf.constant(value)).numpy()
for i, row in zip([1, 9, 30], read):
    print("slot %2d ->" % i, row.round(3).tolist())
print("mean read-out %.4f" % read.mean())
