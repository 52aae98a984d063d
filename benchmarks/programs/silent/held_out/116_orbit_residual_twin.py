"""Residuals of long orbit arcs; metres on top of some ten million metres."""
import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(53)
ARCS, POINTS = 6, 40

radius = 2.6e7 + rng.uniform(0, 1e5, (ARCS, 1))
drift = rng.uniform(-0.9, 0.9, (ARCS, 1))
track = radius + drift * np.arange(POINTS)[None, :] / POINTS


class Residual(keras.layers.Layer):
    def call(self, track):
        return track - track[:, :1]


class ArcMean(keras.layers.Layer):
    def call(self, values):
        return tf.reduce_mean(values, axis=1, keepdims=True)


def build():
    inputs = keras.Input((POINTS,), dtype="float64")
    rest = Residual()(inputs)
    return keras.Model(inputs, [rest, ArcMean()(rest)])


def prepare():
    keras.config.set_dtype_policy("float64")
    net = build()
    return net


model = prepare()
rest, mean = (out.numpy() for out in model(tf.constant(track)))
expected = drift * (POINTS - 1) / (2 * POINTS)
print("policy:", keras.config.dtype_policy().name)
print("mean drift by arc:", np.round(mean[:, 0].astype("float64"), 4))
print("expected:         ", np.round(expected[:, 0], 4))
print(f"largest deviation {np.abs(mean - expected).max():.5f}")
