"""A learning rate that is far too high for a regression with large inputs."""

import keras
import numpy as np

rng = np.random.default_rng(11)
x = rng.uniform(0.0, 60.0, size=(512, 7)).astype("float32")
y = x.sum(axis=1, keepdims=True)
keras.utils.set_random_seed(11)
model = keras.Sequential([keras.Input((7,)), keras.layers.Dense(12, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.SGD(0.9), loss="mse")
model.fit(x, y, epochs=4, batch_size=32, verbose=2)
