import math

import tensorflow as tf

RATE = 50.0
EDGES = tf.linspace(1.0, 20.0, 7)


def energies(wave):
    z = tf.signal.rfft(wave)
    n = wave.shape[-1]
    freq = tf.range(n // 2 + 1, dtype=tf.float32) * RATE / n
    power = tf.square(tf.abs(z))
    out = []
    for lo, hi in zip(EDGES[:-1], EDGES[1:]):
        mask = tf.cast((freq >= lo) & (freq < hi), tf.float32)
        out.append(tf.reduce_sum(power * mask, axis=-1))
    return tf.math.log1p(tf.stack(out, -1)) / math.log(10.0)
