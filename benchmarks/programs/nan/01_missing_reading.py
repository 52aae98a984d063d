"""A regression on a table of sensors in which one reading is missing."""

import keras
import numpy as np

rng = np.random.default_rng(3)
readings = rng.normal(size=(640, 9)).astype("float32")
target = readings[:, :1] * 2.0 + 0.1 * rng.normal(size=(640, 1)).astype("float32")
readings[417, 5] = np.nan

keras.utils.set_random_seed(3)
model = keras.Sequential([keras.Input((9,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.fit(readings, target, epochs=3, batch_size=32, verbose=0)
print("done")
