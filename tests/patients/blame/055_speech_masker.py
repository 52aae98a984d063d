import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(85)
WINDOW = 64
BINS = WINDOW // 2


def frames(n):
    rng = np.random.default_rng(85)
    t = np.arange(WINDOW) / WINDOW
    f = rng.uniform(2, 20, (n, 1))
    clean = np.sin(2 * np.pi * f * t)
    noisy = clean + rng.normal(0, .4, clean.shape)
    return clean, noisy


def magnitude(x):
    spectrum = np.fft.rfft(x * np.hanning(WINDOW), axis=-1)
    return np.log1p(np.abs(spectrum)).astype("float32")


class Masker(keras.Model):
    def __init__(self, bins):
        super().__init__()
        self.hidden = layers.Dense(40, activation="relu")
        self.mask = layers.Dense(bins, activation="sigmoid")

    def call(self, spec):
        gain = self.mask(self.hidden(spec))
        return gain * spec


clean, noisy = frames(80)
x, y = magnitude(noisy), magnitude(clean)
net = Masker(BINS)
net.compile(optimizer="adam", loss="mse")
net.fit(x, y, epochs=2, batch_size=20, verbose=0)
print("residual", net.evaluate(x, y, verbose=0))
