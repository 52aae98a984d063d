"""A layer normalises each row by its sum, and one kind of row sums to zero."""

import keras
import numpy as np
from keras import ops


class RowShare(keras.layers.Layer):
    def call(self, x):
        total = ops.sum(x, axis=-1, keepdims=True)
        return x / total


keras.utils.set_random_seed(13)
rng = np.random.default_rng(13)
counts = rng.integers(0, 4, size=(400, 3)).astype("float32")
label = (counts[:, 0] > counts[:, 1]).astype("float32")
inputs = keras.Input((3,))
hidden = RowShare(name="shares")(inputs)
outputs = keras.layers.Dense(1, activation="sigmoid")(hidden)
model = keras.Model(inputs, outputs)
model.compile(optimizer="adam", loss="binary_crossentropy")
model.fit(counts, label, epochs=2, verbose=0)
print("trained")
