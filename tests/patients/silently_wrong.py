"""One compiled function reads beyond the end of a table, and nobody is told; two others look like it and are right."""

from __future__ import annotations

import tensorflow as tf

TABLE = tf.constant([0.5, 1.5, 2.5, 3.5])
uses = tf.Variable(0)


@tf.function(jit_compile=True)
def beyond(numbers: tf.Tensor) -> tf.Tensor:
    uses.assign_add(1)
    return tf.gather(TABLE, numbers) * 2.0


@tf.function(jit_compile=True)
def within(numbers: tf.Tensor) -> tf.Tensor:
    uses.assign_add(1)
    return tf.gather(TABLE, numbers) * 2.0


@tf.function(jit_compile=True)
def rounded(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    # A whole number in theory: XLA and the plain kernels may round it to either side.
    scaled = tf.sqrt(x * 1.1 / 1.1) * tf.sqrt(x)
    return tf.cast(scaled, tf.int32), tf.argmax(tf.stack([x * 3.3 / 1.1, x * 3.0]), 0)


@tf.function(jit_compile=True)
def directions(x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    # Right with either sign of a vector.
    return tf.linalg.qr(x)[0], tf.linalg.svd(x)[1]


print(beyond(tf.constant([1, 9])).numpy())
print(within(tf.constant([1, 3])).numpy())
print(rounded(tf.range(1.0, 4000.0))[0].numpy()[:3])
print(directions(tf.reshape(tf.sin(tf.range(36.0)), [6, 6]))[0].shape)
