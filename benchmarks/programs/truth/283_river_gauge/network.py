import tensorflow as tf

import config


class QuantileHead(tf.keras.layers.Layer):
    """One linear read-out per lead time."""

    def __init__(self, leads, **kw):
        super().__init__(**kw)
        self.proj = tf.keras.layers.Dense(leads)

    def call(self, h):
        return self.proj(h)


def forecaster():
    past = tf.keras.Input((config.LOOKBACK, len(config.STATIONS)), name="past")
    h = tf.keras.layers.Conv1D(16, 3, padding="causal", activation="relu")(past)
    h = tf.keras.layers.GRU(config.UNITS)(h)
    h = tf.keras.layers.Dropout(0.1)(h)
    return tf.keras.Model(past, QuantileHead(config.LEADS, name="leads")(h))


def pinball(q):
    def loss(y, f):
        e = y - f
        return tf.reduce_mean(tf.maximum(q * e, (q - 1.0) * e), axis=-1)

    return loss
