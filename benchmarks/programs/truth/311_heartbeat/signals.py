"""Synthetic single- and multi-lead ECG beats."""
import numpy as np

RATE = 100
CLASSES = ("normal", "pvc", "pac")


def beat(kind, leads, rng):
    t = np.arange(RATE) / RATE
    width = {"normal": 0.02, "pvc": 0.07, "pac": 0.02}[kind]
    centre = {"normal": 0.5, "pvc": 0.45, "pac": 0.35}[kind] + rng.normal(0, 0.01)
    wave = np.exp(-((t - centre) / width) ** 2) + 0.2 * np.exp(-((t - centre - 0.25) / 0.06) ** 2)
    gain = rng.uniform(0.6, 1.4, leads)
    return wave[:, None] * gain + rng.normal(0, 0.05, (RATE, leads))


def load(n, leads=1, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(CLASSES), n)
    x = np.stack([beat(CLASSES[k], leads, rng) for k in y])
    return x.astype("float32"), y.astype("int32")
