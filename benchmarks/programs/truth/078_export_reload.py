"""Train, write everything to a run folder, read it back."""
import csv
import tempfile
from pathlib import Path
import numpy as np
import keras

keras.utils.set_random_seed(29)
HERE = Path(__file__).resolve().parent


@keras.saving.register_keras_serializable(package="weather")
class Scale(keras.layers.Layer):
    def __init__(self, factor=1.0, **kw):
        super().__init__(**kw)
        self.factor = factor

    def call(self, x):
        return x * self.factor

    def get_config(self):
        return {**super().get_config(), "factor": self.factor}


def run(folder, x, y):
    model = keras.Sequential([keras.Input((3,)), Scale(0.5), keras.layers.Dense(4, "relu"), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    callbacks = [
        keras.callbacks.CSVLogger(folder / "log.csv"),
        keras.callbacks.ModelCheckpoint(folder / "best.keras", save_best_only=True, monitor="loss"),
        keras.callbacks.TerminateOnNaN(),
    ]
    model.fit(x, y, epochs=4, verbose=0, callbacks=callbacks)


rng = np.random.default_rng(29)
x = rng.normal(size=(50, 3)).astype("float32")
y = x.sum(1, keepdims=True)
with tempfile.TemporaryDirectory(dir=HERE) as tmp:
    folder = Path(tmp)
    run(folder, x, y)
    with open(folder / "log.csv") as f:
        rows = list(csv.DictReader(f))
    again = keras.models.load_model(folder / "best.keras")
    print("epochs logged", len(rows), "reloaded error", round(float(again.evaluate(x, y, verbose=0)), 3))
