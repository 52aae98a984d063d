"""All is well for some epochs; then a variance of a constant batch is used as a divisor."""

import keras
import numpy as np
from keras import ops

BATCH = 16


class Standardise(keras.layers.Layer):
    def call(self, x):
        mean = ops.mean(x, axis=0, keepdims=True)
        spread = ops.std(x, axis=0, keepdims=True)
        return (x - mean) / spread


class Rows(keras.utils.PyDataset):
    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(47)
        self.x = rng.normal(size=(BATCH * 12, 4)).astype("float32")
        self.x[-BATCH:] = 1.0
        self.y = rng.normal(size=(BATCH * 12, 1)).astype("float32")

    def __len__(self):
        return 12

    def __getitem__(self, i):
        part = slice(i * BATCH, (i + 1) * BATCH)
        return self.x[part], self.y[part]


keras.utils.set_random_seed(47)
model = keras.Sequential([keras.Input((4,)), Standardise(name="standardise"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(Rows(), epochs=3, shuffle=False, verbose=0)
print("finished")
