"""A cross-entropy by hand: the predicted probability can be exactly zero."""

import keras
import numpy as np
import tensorflow as tf


def surprise(y_true, y_pred):
    picked = tf.reduce_sum(y_true * y_pred, axis=-1)
    return -tf.math.log(picked)


keras.utils.set_random_seed(7)
rng = np.random.default_rng(7)
x = rng.normal(size=(256, 6)).astype("float32") * 400.0
y = keras.utils.to_categorical(rng.integers(0, 3, 256), 3)
model = keras.Sequential([keras.Input((6,)), keras.layers.Dense(3, activation="softmax")])
model.compile(optimizer="sgd", loss=surprise)
model.fit(x, y, epochs=2, batch_size=64, verbose=2)
