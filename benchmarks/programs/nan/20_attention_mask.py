"""Attention with a mask of minus infinity: a row that is masked entirely has no softmax."""

import keras
import numpy as np
import tensorflow as tf


class Attend(keras.layers.Layer):
    def build(self, shape):
        self.query = self.add_weight(shape=(shape[0][-1], 4), name="query")

    def call(self, pair):
        x, mask = pair
        q = tf.matmul(x, self.query)
        scores = tf.matmul(q, q, transpose_b=True)
        scores = tf.where(mask[:, None, :] > 0, scores, float("-inf"))
        return tf.matmul(tf.nn.softmax(scores), x)


keras.utils.set_random_seed(73)
rng = np.random.default_rng(73)
x = rng.normal(size=(48, 6, 4)).astype("float32")
mask = np.ones((48, 6), "float32")
mask[::5, 3:] = 0.0
mask[31] = 0.0
y = rng.normal(size=(48, 6, 1)).astype("float32")
a, b = keras.Input((6, 4)), keras.Input((6,))
model = keras.Model([a, b], keras.layers.Dense(1)(Attend(name="attend")([a, b])))
model.compile(optimizer="adam", loss="mse")
model.fit([x, mask], y, epochs=2, batch_size=12, verbose=0)
