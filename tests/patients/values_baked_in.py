"""A compiled function whose shape is the value of an argument: one trace, a compilation for each value."""

import tensorflow as tf


@tf.function(jit_compile=True)
def repeated(x, n):
    return tf.tile(x, [n, 1]) * 2.0


@tf.function(jit_compile=True)
def twice(x):
    return tf.tile(x, [2, 1]) * tf.cast(tf.shape(x)[0], tf.float32)


for count in range(1, 6):
    repeated(tf.ones([2, 3]), tf.constant(count))
    twice(tf.ones([count, 3]))
