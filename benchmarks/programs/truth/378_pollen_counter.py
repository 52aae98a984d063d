"""Trains a pollen regressor, writes a run folder, and evaluates from that folder."""
import json
import pathlib
import tempfile

import keras
import numpy as np
from keras import layers

DEFAULTS = {"width": 48, "depth": 2, "drop": 0.1}


def build(features, width, depth, drop):
    model = keras.Sequential(name="pollen")
    model.add(keras.Input((features,)))
    for _ in range(depth):
        model.add(layers.Dense(width, activation="relu"))
        model.add(layers.Dropout(drop))
    model.add(layers.Dense(1, activation="softplus"))
    return model


class Run:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def write(self, model, options, features):
        record = {"features": features, "model": {"units": options["width"], "depth": options["depth"],
                                                  "drop": options["drop"]}}
        (self.folder / "run.json").write_text(json.dumps(record, indent=1))
        model.save_weights(self.folder / "best.weights.h5")

    def read(self):
        record = json.loads((self.folder / "run.json").read_text())
        options = {k: record["model"].get(k, v) for k, v in DEFAULTS.items()}
        model = build(record["features"], **options)
        model.load_weights(self.folder / "best.weights.h5")
        return model


def days(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 9)).astype("float32")
    return x, np.exp(0.5 * x[:, :1] - 0.2 * x[:, 1:2])


def train(folder, overrides):
    options = {**DEFAULTS, **overrides}
    x, y = days(256, seed=1)
    model = build(x.shape[1], **options)
    model.compile("adam", "poisson")
    model.fit(x, y, epochs=2, verbose=0)
    Run(folder).write(model, options, x.shape[1])


def evaluate(folder):
    model = Run(folder).read()
    model.compile(loss="poisson", metrics=["mae"])
    return model.evaluate(*days(64, seed=2), verbose=0)


def main():
    keras.utils.set_random_seed(3)
    with tempfile.TemporaryDirectory() as folder:
        train(folder, {"width": 20, "drop": 0.2})
        print("poisson and mae", np.round(evaluate(folder), 3).tolist())


if __name__ == "__main__":
    main()
