"""A fractional power is fine at zero; its derivative is not."""

import keras
import numpy as np
import tensorflow as tf


class Compress(keras.layers.Layer):
    def call(self, x):
        return tf.pow(tf.nn.relu(x), 0.3)


keras.utils.set_random_seed(37)
rng = np.random.default_rng(37)
x = rng.normal(size=(160, 3)).astype("float32")
y = (x.sum(axis=1) > 0).astype("float32")
model = keras.Sequential(
    [keras.Input((3,)), keras.layers.Dense(5), Compress(name="compress"), keras.layers.Dense(1, activation="sigmoid")]
)
model.compile(optimizer="rmsprop", loss="binary_crossentropy")
model.fit(x, y, epochs=2, batch_size=40, verbose=2)
