"""Nearest neighbours among galaxy positions."""
import numpy as np
import tensorflow as tf


def catalogue(n, seed=0):
    rng = np.random.default_rng(seed)
    return tf.constant(rng.random((n, 3)), tf.float32)


def pairwise_sq(points):
    diff = points[:, None, :] - points[None, :, :]
    return tf.reduce_sum(diff * diff, axis=-1)


def nearest(points):
    n = points.shape[0]
    d = pairwise_sq(points) + tf.linalg.diag(tf.fill([n], 1e9))
    return tf.argmin(d, axis=1), tf.sqrt(tf.reduce_min(d, axis=1))


def summary(points, label):
    index, dist = nearest(points)
    print(f"{label}: {points.shape[0]} objects, median distance {np.median(dist):.4f}")


for label, size in [("pilot", 300), ("field", 1500), ("survey", 2_000_000)]:
    summary(catalogue(size), label)
