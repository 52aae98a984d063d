"""A layer that fixes the batch to 16, trained on 40 samples in batches of 16: the last batch of 8 breaks its reshape.

Without XLA, TensorFlow's graph optimizer moves the error to a node of the loss's gradient, and that node is blamed.
"""

import keras
import numpy as np
import tensorflow as tf


class Mix(keras.layers.Layer):
    """Mixes 64 features into 2."""

    def build(self, shape):
        self.w = self.add_weight(shape=(64, 2))

    def call(self, x):
        rows = tf.shape(x)[0]
        y = tf.reshape(tf.reshape(x, (rows * 4, 16)), (rows, 4, 16))
        return tf.reshape(y, (16, 64)) @ self.w  # the culprit


inputs = keras.Input((64,))
model = keras.Model(inputs, Mix()(inputs))
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((40, 64), "float32"), np.zeros((40, 2), "float32"), batch_size=16, verbose=0)
