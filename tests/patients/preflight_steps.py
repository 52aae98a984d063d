"""Steps for a preflight, each `callable(batch_size) -> (function, arguments)`: a healthy one, and one a check."""

import numpy as np
import tensorflow as tf


def rows(batch_size, columns=4):
    return np.linspace(0.5, 1.5, batch_size * columns, dtype="float32").reshape(batch_size, columns)


def healthy(batch_size):
    return lambda x: tf.nn.softmax(x * 2.0), (rows(batch_size),)


def fails_at_the_partial_batch(batch_size):
    return lambda x: tf.reshape(tf.reshape(x, [-1, 32, 4]), tf.shape(x)), (rows(batch_size),)


def not_finite(batch_size):
    return lambda x: tf.math.log(x * 0.0), (rows(batch_size),)


def mixes_rows(batch_size):
    return lambda x: x - tf.reduce_mean(x, axis=0), (rows(batch_size),)


def has_no_kernel(batch_size):
    return lambda x: tf.cast(tf.strings.length(tf.strings.as_string(x)), tf.float32) + x * 0.0, (rows(batch_size),)


def large(batch_size):
    return lambda x: tf.reduce_sum(tf.matmul(tf.tile(x, [1, 500]), tf.ones([2000, 4000])), axis=1), (rows(batch_size),)


def _converted(x):
    return tf.reshape(tf.reshape(x, [32, 4]), tf.shape(x))


def fails_while_it_is_traced(batch_size):
    """AutoGraph puts `in user code:` before the message, where the shapes are known while it is traced."""
    return _converted, (rows(batch_size),)
