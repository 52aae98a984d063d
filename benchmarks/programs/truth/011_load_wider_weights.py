"""Resume training of a small regressor from a weights file."""
import tempfile
from pathlib import Path
import numpy as np
import keras

HERE = Path(__file__).resolve().parent


def regressor(units):
    model = keras.Sequential([
        keras.Input((6,), name="features"),
        keras.layers.Dense(units, activation="relu", name="hidden"),
        keras.layers.Dense(1, name="price"),
    ])
    model.compile("adam", "mse")
    return model


def first_run(path, x, y):
    model = regressor(units=32)
    model.fit(x, y, epochs=1, verbose=0)
    model.save_weights(path)


def resume(path, x, y, config):
    model = regressor(config["hidden_units"])
    model.load_weights(path)
    return model.fit(x, y, epochs=1, verbose=0).history["loss"][0]


rng = np.random.default_rng(4)
x = rng.normal(size=(80, 6)).astype("float32")
y = x.sum(axis=1, keepdims=True)
with tempfile.TemporaryDirectory(dir=HERE) as folder:
    weights = Path(folder) / "run1.weights.h5"
    first_run(weights, x, y)
    print("loss after resume", resume(weights, x, y, {"hidden_units": 64, "epochs": 1}))
