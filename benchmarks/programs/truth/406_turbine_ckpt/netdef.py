"""Architectures of the vibration monitor, by release."""
from tensorflow import keras

RELEASES = {
    "1.4": {"units": 32, "kernel": 5, "heads": ("bearing",)},
    "2.0": {"units": 48, "kernel": 5, "heads": ("bearing",)},
}
CURRENT = "2.0"


def monitor(release=CURRENT, window=64, channels=3):
    r = RELEASES[release]
    inp = keras.Input((window, channels), name="signal")
    x = keras.layers.Conv1D(16, r["kernel"], activation="relu", name="front")(inp)
    x = keras.layers.MaxPooling1D(4, name="pool")(x)
    x = keras.layers.LSTM(r["units"], name="memory")(x)
    out = {h: keras.layers.Dense(1, name=h)(x) for h in r["heads"]}
    return keras.Model(inp, out, name="monitor")
