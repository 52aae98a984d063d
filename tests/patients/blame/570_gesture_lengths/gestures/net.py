import keras
import tensorflow as tf


class GestureNet(keras.Model):
    def __init__(self, classes, units=24):
        super().__init__()
        self.conv = keras.layers.Conv1D(units, 5, padding="same", activation="relu")
        self.rnn = keras.layers.GRU(units, return_sequences=True)
        self.head = keras.layers.Dense(classes)

    def call(self, signal, lengths):
        h = self.rnn(self.conv(signal))
        mask = tf.sequence_mask(lengths, tf.shape(h)[1], dtype=h.dtype)[..., None]
        pooled = tf.reduce_sum(h * mask, axis=1) / tf.reduce_sum(mask, axis=1)
        return self.head(pooled)
