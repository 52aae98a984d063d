"""Mahalanobis distance on the active channels of an electrode array."""
import numpy as np
import tensorflow as tf


def recordings(channels=6, samples=200):
    rng = np.random.default_rng(12)
    mix = rng.normal(size=(channels, channels))
    data = rng.normal(size=(samples, channels)) @ mix
    data[:, 4] = 0.0
    return data.astype("float32")


def covariance(x):
    x = x - tf.reduce_mean(x, axis=0)
    return tf.matmul(x, x, transpose_a=True) / tf.cast(tf.shape(x)[0] - 1, x.dtype)


def active_variances(cov, floor):
    variance = tf.linalg.diag_part(cov)
    return tf.boolean_mask(variance, variance > floor)


@tf.function(jit_compile=True)
def precision(x, floor):
    variances = active_variances(covariance(x), floor)
    return tf.linalg.inv(tf.linalg.diag(variances))


def report(matrix):
    for value in np.diag(matrix):
        print(f"{value:.4f}")


data = tf.constant(recordings())
report(precision(data, 1e-6).numpy())
