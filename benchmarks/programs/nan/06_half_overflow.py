"""A sum of squares in half precision is larger than half precision can hold."""

import keras
import numpy as np
from keras import ops

keras.mixed_precision.set_global_policy("mixed_float16")


class Energy(keras.layers.Layer):
    def call(self, x):
        return ops.sum(x * x, axis=-1, keepdims=True)


keras.utils.set_random_seed(17)
rng = np.random.default_rng(17)
x = rng.uniform(50.0, 300.0, size=(128, 16)).astype("float32")
y = rng.normal(size=(128, 1)).astype("float32")
model = keras.Sequential(
    [keras.Input((16,)), Energy(name="energy"), keras.layers.Dense(1, dtype="float32", name="score")]
)
model.compile(optimizer="adam", loss="mse")
model.fit(x, y, epochs=2, batch_size=32, verbose=2)
