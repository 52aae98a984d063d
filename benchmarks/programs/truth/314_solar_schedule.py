#!/usr/bin/env python3
"""Day-ahead PV output of one plant. The training recipe is a small INI text."""
import configparser
import math
import os
import threading

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "1"

import numpy as np
import tensorflow as tf
from tensorflow import keras

RECIPE = """
[data]
days = 200
horizon = 24

[train]
epochs = 4
batch = 16
peak_rate = 5e-3
warmup = 0.1
decay = cosine

[model]
width = 32
jit = yes
"""


def plant(days, horizon, seed=0):
    """Clear-sky curve times cloudiness; cloudiness and temperature are forecast with errors."""
    rng = np.random.default_rng(seed)
    hour = np.arange(horizon)
    clear = np.clip(np.sin((hour - 6) / 12 * math.pi), 0, None)
    cloud = rng.beta(2, 3, (days, 1)) + rng.normal(0, 0.05, (days, horizon))
    power = clear[None] * (1 - 0.8 * np.clip(cloud, 0, 1))
    x = np.concatenate([cloud + rng.normal(0, 0.1, cloud.shape), rng.normal(15, 8, (days, 1)) / 30], axis=1)
    return x.astype("float32"), power.astype("float32")


class Prefetcher(threading.Thread):
    """Loads the plant's table while Keras starts."""

    def __init__(self, days, horizon):
        super().__init__(daemon=True)
        self.args = (days, horizon)
        self.result = None

    def run(self):
        self.result = plant(*self.args)

    def get(self):
        self.join()
        return self.result


def schedule(cfg, steps):
    train = cfg["train"]
    kind = train.get("decay")
    rate = train.getfloat("peak_rate")
    warmup = int(train.getfloat("warmup") * steps)
    if kind == "cosine":
        return keras.optimizers.schedules.CosineDecay(
            initial_learning_rate=0.0, decay_steps=steps - warmup, warmup_target=rate, warmup_steps=warmup)
    if kind == "exponential":
        return keras.optimizers.schedules.ExponentialDecay(rate, steps // 4, 0.5)
    return rate


def lengths(cfg):
    """Batch size and number of epochs."""
    train = cfg["train"]
    return train.getint("batch"), train.get("epochs")


def network(cfg, inputs, outputs):
    w = cfg["model"].getint("width")
    return keras.Sequential([
        keras.Input((inputs,)),
        keras.layers.Dense(w, activation="relu"),
        keras.layers.Dense(w, activation="relu"),
        keras.layers.Dense(outputs, activation="relu"),
    ])


def main():
    cfg = configparser.ConfigParser()
    cfg.read_string(RECIPE)
    loader = Prefetcher(cfg["data"].getint("days"), cfg["data"].getint("horizon"))
    loader.start()
    keras.utils.set_random_seed(10)

    x, y = loader.get()
    cut = int(len(x) * 0.8)
    batch, epochs = lengths(cfg)
    model = network(cfg, x.shape[1], y.shape[1])
    model.compile(
        optimizer=keras.optimizers.Adam(schedule(cfg, steps=epochs * cut // batch)),
        loss="mse",
        metrics=["mae"],
        jit_compile=cfg["model"].getboolean("jit"),
    )
    model.fit(x[:cut], y[:cut], validation_data=(x[cut:], y[cut:]), epochs=epochs, batch_size=batch, verbose=2)
    print("mae on the last days:", model.evaluate(x[cut:], y[cut:], verbose=0)[1])


if __name__ == "__main__":
    main()
