"""Yield of fields from soil and rain, one log per farm."""
import os

import numpy as np
from tensorflow import keras

FARM = os.environ.get("FARM", "northfield")
keras.utils.set_random_seed(10)

rng = np.random.default_rng(10)
soil = rng.dirichlet(np.ones(4), size=420)
rain = rng.gamma(3.0, 20.0, size=(420, 12))
crop = (rain[:, 3:8].sum(1) * (0.5 + soil[:, 1]) / 100.0).astype("float32")

soil_in = keras.layers.Input(shape=(4,), name="soil")
rain_in = keras.layers.Input(shape=(12,), name="rain")
rain_features = keras.layers.Dense(8, activation="relu")(keras.layers.Rescaling(1 / 60.0)(rain_in))
merged = keras.layers.Concatenate()([soil_in, rain_features])
merged = keras.layers.Dense(16, activation="relu")(merged)
out = keras.layers.Dense(1, name="tonnes")(merged)

model = keras.Model(inputs=[soil_in, rain_in], outputs=out)
model.compile(optimizer="adam", loss="mse", metrics=["mae"])

callbacks = [
    keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=2),
    keras.callbacks.CSVLogger(f"logs/{FARM}/history.csv"),
]
model.fit([soil, rain], crop, batch_size=40, epochs=4, validation_split=0.2, callbacks=callbacks, verbose=0)
print("done", FARM)
