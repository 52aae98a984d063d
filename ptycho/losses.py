"""Losses between measured and expected patterns."""

from __future__ import annotations

import keras
import tensorflow as tf


@keras.saving.register_keras_serializable(package="ptycho")
def poisson_deviance(counts: tf.Tensor, expected: tf.Tensor) -> tf.Tensor:
    """Negative Poisson log-likelihood, less its smallest possible value: 0 where `expected` equals `counts`.

    Written in the ratio of the two, because the likelihood itself loses all digits in float32 at 1e5 counts.

    Args:
        counts: (B N N C) photon counts.
        expected: (B N N C) expected counts, positive.

    Returns:
        (B N N), averaged over the patterns of a group.

    """
    counts = tf.cast(counts, expected.dtype)
    expected = tf.maximum(expected, 1e-6)
    ratio = expected / tf.maximum(counts, 1e-6)
    deviance = tf.where(counts > 0, counts * (ratio - 1 - tf.math.log(ratio)), expected - counts)
    return tf.reduce_mean(deviance, axis=-1)


@keras.saving.register_keras_serializable(package="ptycho")
def amplitude_mae(measured: tf.Tensor, expected: tf.Tensor) -> tf.Tensor:
    """Mean absolute difference of amplitudes, (B N N C) and (B N N C) -> (B N N)."""
    return tf.reduce_mean(tf.abs(tf.cast(measured, expected.dtype) - expected), axis=-1)
