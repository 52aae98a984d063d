"""A variational loss: the variance of a code is a square root of what may be negative."""

import keras
import numpy as np
from keras import ops


class Code(keras.layers.Layer):
    def __init__(self, **options):
        super().__init__(**options)
        self.mean = keras.layers.Dense(2)
        self.spread = keras.layers.Dense(2)

    def call(self, x):
        mean = self.mean(x)
        deviation = ops.sqrt(self.spread(x))
        self.add_loss(0.1 * ops.mean(mean * mean + deviation * deviation))
        return mean + deviation


keras.utils.set_random_seed(67)
rng = np.random.default_rng(67)
x = rng.normal(size=(120, 6)).astype("float32")
model = keras.Sequential([keras.Input((6,)), Code(name="code"), keras.layers.Dense(6, name="decode")])
model.compile(optimizer="adam", loss="mse")
model.fit(x, x, epochs=1, batch_size=30, verbose=0)
