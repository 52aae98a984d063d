"""Water level at a tide gauge with a stateful GRU: the state runs through the year, batch by batch.

Eight gauges are read side by side (rows of the batch); the states are reset at the end of a year.
"""
import math
import os
import tempfile

import keras
import numpy as np
import tensorflow as tf

GAUGES = 8
CHUNK = 24
HOURS = 24 * 60
EPOCHS = 6


def constituents(rng):
    """Amplitude [m], speed [rad/h] and phase of the main tides at one gauge."""
    speed = np.radians([28.984, 30.0, 28.44, 15.041, 13.943])
    amp = np.array([1.2, 0.4, 0.25, 0.12, 0.09]) * rng.uniform(0.7, 1.3, 5)
    return amp, speed, rng.uniform(0, 2 * math.pi, 5)


def gauge_year(seed):
    rng = np.random.default_rng(seed)
    t = np.arange(HOURS + 1)
    level = np.zeros((GAUGES, t.size))
    for g in range(GAUGES):
        amp, speed, phase = constituents(rng)
        level[g] = (amp[:, None] * np.cos(speed[:, None] * t + phase[:, None])).sum(0)
    surge = np.zeros(t.size)
    for k in range(1, t.size):
        surge[k] = 0.95 * surge[k - 1] + rng.normal(0, 0.03)
    return (level + surge).astype("float32")[..., None]


class Year(keras.utils.PyDataset):
    """Consecutive chunks of all gauges, in the order of time."""

    def __init__(self, level, **kw):
        super().__init__(**kw)
        self.level = level

    def __len__(self):
        return HOURS // CHUNK

    def __getitem__(self, i):
        a = i * CHUNK
        return self.level[:, a : a + CHUNK], self.level[:, a + 1 : a + CHUNK + 1]


class ResetAtNewYear(keras.callbacks.Callback):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def on_epoch_begin(self, epoch, logs=None):
        self.layer.reset_state()

    def on_test_begin(self, logs=None):
        self.layer.reset_state()


def build():
    gru = keras.layers.GRU(20, stateful=True, return_sequences=True, name="tide_state")
    model = keras.Sequential([
        keras.Input(batch_shape=(GAUGES, CHUNK, 1)),
        gru,
        keras.layers.Dropout(0.05),
        keras.layers.Dense(1),
    ])
    model.compile(keras.optimizers.Adam(8e-3, clipnorm=1.0), keras.losses.Huber(), metrics=[
        keras.metrics.RootMeanSquaredError(name="rmse")])
    return model, gru


def persistence(level):
    return float(np.sqrt(np.mean((level[:, 1:] - level[:, :-1]) ** 2)))


def main():
    keras.utils.set_random_seed(77)
    level = gauge_year(1)
    held = gauge_year(2)
    model, gru = build()
    reset = ResetAtNewYear(gru)

    with tempfile.TemporaryDirectory() as tmp:
        log = os.path.join(tmp, "log.csv")
        hist = model.fit(
            Year(level, workers=1), validation_data=Year(held), epochs=EPOCHS, shuffle=False, verbose=2,
            callbacks=[reset, keras.callbacks.CSVLogger(log), keras.callbacks.EarlyStopping("val_rmse", patience=3)],
        )
        with open(log) as f:
            print("".join(f.readlines()[:2]), end="")

    scores = model.evaluate(Year(held), verbose=0, return_dict=True, callbacks=[reset])
    base = persistence(held)
    print(f"one-hour forecast rmse {scores['rmse']:.3f} m, persistence {base:.3f} m")
    print("worse than persistence, check the run" if scores["rmse"] > base else "no errors found")
    print("epochs run:", len(hist.history["loss"]))


if __name__ == "__main__":
    main()
