"""Anomaly score for machine vibration, one summary row per minute."""
import numpy as np
import keras
from keras import layers

FEATURES = ["rms", "kurtosis", "peak", "crest", "temp"]


def summaries(minutes, seed):
    rng = np.random.default_rng(seed)
    base = rng.normal(size=(minutes, len(FEATURES))).astype("float32")
    base[:, 4] += np.linspace(0, 1, minutes)
    return base


def build(width=8):
    inputs = keras.Input(shape=(len(FEATURES),), name="summary")
    h = layers.Dense(width, activation="tanh")(inputs)
    h = layers.LSTM(width)(h)
    out = layers.Dense(len(FEATURES))(h)
    return keras.Model(inputs, out)


def main():
    x = summaries(400, 0)
    model = build()
    model.compile(optimizer="rmsprop", loss="mae")
    history = model.fit(x[:-1], x[1:], epochs=2, batch_size=50, verbose=0)
    print("mae", history.history["loss"][-1])


main()
