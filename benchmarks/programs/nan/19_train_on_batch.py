"""Batches by hand, from a generator whose last part divides by its own maximum."""

import keras
import numpy as np

rng = np.random.default_rng(71)


def batches(count):
    for number in range(count):
        x = rng.uniform(0.0, 1.0, size=(32, 4)) * (number != 5)
        with np.errstate(invalid="ignore"):
            yield (x / x.max()).astype("float32"), x[:, :1].astype("float32")


keras.utils.set_random_seed(71)
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(6, activation="tanh"), keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
worst = 0.0
for x, y in batches(8):
    worst = max(worst, model.train_on_batch(x, y))
print("worst", worst)
