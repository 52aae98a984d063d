"""Trains a classifier of star types from a JSON configuration (written here, edited by hand elsewhere)."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import json
import tempfile
import numpy as np
import keras

TEXT = """{
  "data":  {"n": 400, "shape": [9], "dtype": "float32"},
  "model": {"units": [32, 16], "activation": "relu"},
  "train": {"epochs": 2, "batch": 50, "xla": "true"}
}"""
CHOICES = {"xla": {"jit": True, "auto": "auto", "none": False}, "dtype": {"float32": 4, "float16": 2}}


class Config:
    def __init__(self, path):
        with open(path) as f:
            self.raw = json.load(f)

    def get(self, section, key):
        value = self.raw[section][key]
        if key not in CHOICES:
            return value
        return self._choice(section, key, value)

    def _choice(self, section, key, value):
        if value not in CHOICES[key]:
            allowed = ", ".join(sorted(CHOICES[key]))
            raise ValueError(f"{section}.{key}: invalid XLA or shape option {value!r}, expected one of: {allowed}")
        return CHOICES[key][value]


def stars(cfg):
    g = np.random.default_rng(30)
    x = g.normal(size=(cfg.get("data", "n"), *cfg.get("data", "shape"))).astype("float32")
    return x, (x[:, 0] + x[:, 1] > 0).astype("int32")


def network(cfg):
    net = keras.Sequential([keras.Input(tuple(cfg.get("data", "shape")))])
    for u in cfg.get("model", "units"):
        net.add(keras.layers.Dense(u, activation=cfg.get("model", "activation")))
    net.add(keras.layers.Dense(2, activation="softmax"))
    net.compile("adam", "sparse_categorical_crossentropy", jit_compile=cfg.get("train", "xla"))
    return net


path = os.path.join(tempfile.mkdtemp(), "run.json")
with open(path, "w") as f:
    f.write(TEXT)
cfg = Config(path)
x, y = stars(cfg)
net = network(cfg)
net.fit(x, y, epochs=cfg.get("train", "epochs"), batch_size=cfg.get("train", "batch"), verbose=2)
