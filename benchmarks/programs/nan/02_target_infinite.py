"""The targets of a dataset are made by a division that meets a zero."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(5)
distance = rng.uniform(1.0, 9.0, size=(300, 4)).astype("float32")
hours = rng.integers(0, 40, size=(300, 1)).astype("float32")
hours[17] = 0.0


def with_speed(x, h):
    return x, tf.reduce_sum(x) / h


keras.utils.set_random_seed(5)
rows = tf.data.Dataset.from_tensor_slices((distance, hours)).map(with_speed).batch(20)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, activation="tanh"), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mae")
history = model.fit(rows, epochs=2, verbose=0)
print("loss", history.history["loss"])
