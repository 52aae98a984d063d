"""Vibration spectra of roller bearings: one wear class per recording."""
from dataclasses import dataclass

import keras
import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class Spectro:
    rate: int = 4000
    seconds: float = 1.5
    win: int = 256
    hop: int = 128
    bands: int = 32

    @property
    def samples(self):
        return int(self.rate * self.seconds)

    @property
    def frames(self):
        return (self.samples - self.win) // self.hop

    @property
    def flat(self):
        return self.frames * self.bands


class BandEnergies(keras.layers.Layer):
    def __init__(self, spec, **kw):
        super().__init__(**kw)
        self.spec = spec
        self.mix = keras.layers.Dense(spec.bands, activation="relu")

    def call(self, wave):
        z = tf.signal.stft(wave, self.spec.win, self.spec.hop)
        return self.mix(tf.math.log1p(tf.abs(z)))


class WearNet(keras.Model):
    def __init__(self, spec, classes=3, **kw):
        super().__init__(**kw)
        self.spec = spec
        self.front = BandEnergies(spec)
        self.norm = keras.layers.LayerNormalization()
        self.drop = keras.layers.Dropout(0.2)
        self.out = keras.layers.Dense(classes)

    def call(self, wave, training=False):
        h = self.norm(self.front(wave))
        h = tf.reshape(h, [-1, self.spec.flat])
        return self.out(self.drop(h, training=training))


def recordings(spec, count, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(spec.samples) / spec.rate
    wear = rng.integers(0, 3, count)
    knock = 90.0 + 140.0 * wear[:, None]
    wave = np.sin(2 * np.pi * knock * t) + 0.4 * rng.normal(size=(count, spec.samples))
    return wave.astype("float32"), wear


def main():
    spec = Spectro()
    keras.utils.set_random_seed(11)
    wave, wear = recordings(spec, 96, seed=1)
    ds = tf.data.Dataset.from_tensor_slices((wave, wear)).shuffle(96).batch(16)
    print("waves", wave.shape, "spectrogram", spec.frames, "x", spec.bands)
    net = WearNet(spec)
    net.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    hist = net.fit(ds, epochs=2, verbose=0)
    print("accuracy", [round(a, 3) for a in hist.history["accuracy"]])


if __name__ == "__main__":
    main()
