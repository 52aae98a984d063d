"""Healthy: in half precision the loss scale is tried until the gradients fit."""

import keras
import numpy as np

keras.mixed_precision.set_global_policy("mixed_float16")
keras.utils.set_random_seed(83)
rng = np.random.default_rng(83)
x = rng.normal(size=(128, 12)).astype("float32")
y = 30.0 * x[:, :1]
model = keras.Sequential(
    [keras.Input((12,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1, dtype="float32")]
)
model.compile(optimizer="adam", loss="mse")
history = model.fit(x, y, epochs=3, verbose=0)
print(np.isfinite(history.history["loss"]).all())
