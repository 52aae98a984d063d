"""Train from a JSON configuration."""
from config import load, ConfigError
import keras
import numpy as np

SETTINGS = '{"model": {"units": [16, 8], "activation": "relu"}, "optimizer": {"name": "adamw", "learning_rate": "3e-4x"}}'


def build(cfg):
    model = keras.Sequential([keras.Input((3,))])
    for units in cfg.units:
        model.add(keras.layers.Dense(units, activation=cfg.activation))
    model.add(keras.layers.Dense(1))
    model.compile(keras.optimizers.get({"class_name": cfg.optimizer, "config": {"learning_rate": cfg.lr}}), "mse")
    return model


cfg = load(SETTINGS)
x = np.zeros((8, 3), "float32")
model = build(cfg)
model.fit(x, x[:, :1], verbose=0)
print("trained with", cfg)
