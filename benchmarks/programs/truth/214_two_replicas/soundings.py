"""Radiosonde profiles (synthetic) and the weights of their levels."""
import numpy as np
import tensorflow as tf


def load_profiles(n, levels=20, seed=4):
    g = np.random.default_rng(seed)
    lapse = g.normal(6.5, 1.0, n)
    z = np.linspace(0, 12, levels)
    t = 288 - lapse[:, None] * z + g.normal(0, 0.5, (n, levels))
    return ((t - 250) / 20).astype("float32"), (lapse > 6.8).astype("float32")


def vertical_weights(levels):
    pressure = 1013 * tf.exp(-tf.linspace(0.0, 12.0, levels) / 8.0)
    return pressure / tf.reduce_sum(pressure) * levels
