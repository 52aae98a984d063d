import keras
import tensorflow as tf
from keras import layers


class EarlyFusion(layers.Layer):
    """Repeat the static variables over time and append them to the vitals."""

    def call(self, vitals, static):
        steps = tf.shape(vitals)[1]
        rep = tf.tile(static[:, None, :], [1, steps, 1])
        return tf.concat([vitals, rep], axis=1)


class LateFusion(layers.Layer):
    """Gate the summary of the time series with the static variables."""

    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.gate = layers.Dense(units, activation="sigmoid")

    def call(self, summary, static):
        return tf.concat([summary * self.gate(static), static], axis=-1)
