"""A layer that folds neighbours into one row: predict returns half of its rows, and nothing is raised."""

import keras
import numpy as np
import tensorflow as tf


class PairMean(keras.layers.Layer):
    """The mean of pairs of channels, were it not for the order of the axes."""

    def call(self, x):
        pairs = tf.reshape(x, (-1, 2, 6, 4))  # the line
        return tf.reduce_mean(pairs, axis=1)


model = keras.Sequential([keras.Input((6, 4)), PairMean(name="pairs"), keras.layers.Flatten(), keras.layers.Dense(1)])
print(model.predict(np.ones((20, 6, 4), "float32"), batch_size=8, verbose=0).shape)
