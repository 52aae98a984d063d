"""Compile once per bucket of lengths, and count the traces."""
import numpy as np
import tensorflow as tf

BUCKETS = (8, 16, 32)
TRACES = []


@tf.function(jit_compile=True)
def mean_power(signal, valid):
    TRACES.append(signal.shape[0])
    mask = tf.cast(tf.range(signal.shape[0]) < valid, tf.float32)
    return tf.reduce_sum(mask * signal ** 2) / tf.cast(valid, tf.float32)


def bucket(n):
    return next(b for b in BUCKETS if n <= b)


def power(signal):
    n = len(signal)
    padded = np.pad(signal, (0, bucket(n) - n)).astype("float32")
    return float(mean_power(tf.constant(padded), tf.constant(n)))


rng = np.random.default_rng(3)
for n in rng.integers(3, 33, 40):
    signal = rng.normal(size=n)
    assert abs(power(signal) - np.mean(signal ** 2)) < 1e-4
print("recompilation: one trace per bucket", sorted(TRACES))
assert sorted(TRACES) == list(BUCKETS)
