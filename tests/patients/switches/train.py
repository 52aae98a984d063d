"""Reads both switches, obeys one; writes over a file that was there before, and over one elsewhere."""

import os
from pathlib import Path

import keras
import numpy as np

from ptycho import params

keras.utils.set_random_seed(1)


class Moved(keras.layers.Layer):
    def __init__(self, use_xla):
        super().__init__()
        self.use_xla = True  # whatever it is given

    def call(self, x):
        return keras.ops.roll(x, 1, axis=1)


def main():
    if os.environ.get("USE_XLA_COMPILE"):
        params.cfg["use_xla_compile"] = True
    layers = [keras.Input((4,)), keras.layers.Dense(4), Moved(params.cfg["use_xla_translate"])]
    model = keras.Sequential(layers)
    model.compile(loss="mse", optimizer="sgd", jit_compile=params.cfg["use_xla_compile"])
    x = np.ones((6, 4), "float32")
    model.fit(x, x, batch_size=2, epochs=3, verbose=0)
    Path("weights.txt").write_text("new", encoding="utf-8")
    try:
        Path(os.environ["ELSEWHERE"]).write_text("written", encoding="utf-8")
    except OSError as error:
        print(error)
    print(model.predict(x, verbose=0).shape)


if __name__ == "__main__":
    main()
