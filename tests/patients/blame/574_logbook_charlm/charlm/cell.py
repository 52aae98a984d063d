import keras
import tensorflow as tf


class MinimalGatedUnit(keras.layers.Layer):
    """One forget gate only (Zhou et al. 2016), written for clarity."""

    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.units = units
        self.gate = keras.layers.Dense(units, activation="sigmoid", bias_initializer="ones")
        self.cand = keras.layers.Dense(units, activation="tanh")

    def call(self, x, h):
        f = self.gate(tf.concat([h, x], axis=-1))
        c = self.cand(tf.concat([f * h, x], axis=-1))
        return (1.0 - f) * h + f * c
