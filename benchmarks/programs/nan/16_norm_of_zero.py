"""An embedding that is padded with zeros is normalised by its length."""

import keras
import numpy as np
import tensorflow as tf


def unit_length(v):
    return v / tf.norm(v, axis=-1, keepdims=True)


keras.utils.set_random_seed(59)
rng = np.random.default_rng(59)
sentences = rng.normal(size=(144, 10, 6)).astype("float32")
sentences[::7, 8:] = 0.0
topic = rng.integers(0, 2, size=(144, 1)).astype("float32")
inputs = keras.Input((10, 6))
outputs = keras.layers.Lambda(unit_length, name="unit")(inputs)
outputs = keras.layers.GRU(7)(outputs)
outputs = keras.layers.Dense(1, activation="sigmoid")(outputs)
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="binary_crossentropy", metrics=["accuracy"])
model.fit(sentences, topic, epochs=2, batch_size=24)
