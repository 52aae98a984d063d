"""Gait phase from a thigh accelerometer: stacked lags into a small dense net."""
import math

import keras
import numpy as np

AXES = 3
N_LAGS = 8
PHASES = 4


def walk(n=1200, rate=100, seed=13):
    rng = np.random.default_rng(seed)
    phase = np.cumsum(rng.normal(1.0, 0.05, n)) / rate % 1.0
    a = np.stack([np.sin(2 * math.pi * phase), np.cos(4 * math.pi * phase), 0.3 * np.sin(6 * math.pi * phase)], 1)
    a += 0.1 * rng.standard_normal(a.shape)
    return a.astype("float32"), np.floor(phase * PHASES).astype("int32")


def lagged(acc, t, step):
    """Samples t, t-step, ..., t-N_LAGS*step, flattened."""
    rows = [acc[t - k * step] for k in range(0, N_LAGS + 1)]
    return np.concatenate(rows)


class GaitWindows(keras.utils.PyDataset):
    def __init__(self, acc, phase, batch=40, step=3, **kw):
        super().__init__(**kw)
        self.acc, self.phase = acc, phase
        self.batch, self.step = batch, step
        self.first = N_LAGS * step

    def __len__(self):
        return (len(self.acc) - self.first) // self.batch

    def __getitem__(self, i):
        start = self.first + i * self.batch
        idx = range(start, start + self.batch)
        x = np.stack([lagged(self.acc, t, self.step) for t in idx])
        return x, self.phase[start:start + self.batch]


def phase_net(units=(32, 16)):
    inp = keras.Input(shape=(AXES * N_LAGS,), name="lags")
    h = inp
    for u in units:
        h = keras.layers.Dense(u, activation="tanh")(h)
    return keras.Model(inp, keras.layers.Dense(PHASES, activation="softmax")(h), name="phase")


def main():
    keras.utils.set_random_seed(0)
    acc, phase = walk()
    data = GaitWindows(acc, phase, workers=1)
    print("batches:", len(data))
    net = phase_net()
    net.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    net.fit(data, epochs=3, verbose=2)


main()
