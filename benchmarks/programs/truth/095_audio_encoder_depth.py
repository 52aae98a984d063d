"""Strided encoder for short audio snippets; depth chosen by a config."""
from dataclasses import dataclass, field
import numpy as np
import keras
from keras import layers


@dataclass
class EncoderConfig:
    samples: int = 160
    strides: list = field(default_factory=lambda: [4, 4, 2, 2])
    kernels: list = field(default_factory=lambda: [16, 8, 4, 4])
    channels: int = 6


class Encoder(keras.Model):
    def __init__(self, cfg):
        super().__init__()
        self.convs = [
            layers.Conv1D(cfg.channels * (i + 1), k, strides=s, activation="relu")
            for i, (k, s) in enumerate(zip(cfg.kernels, cfg.strides))
        ]
        self.pool = layers.GlobalMaxPooling1D()
        self.out = layers.Dense(2)

    def call(self, x):
        for conv in self.convs:
            x = conv(x)
        return self.out(self.pool(x))


cfg = EncoderConfig()
t = np.arange(cfg.samples) / 8000
snippets = np.stack([np.sin(2 * np.pi * f * t) for f in np.linspace(200, 900, 24)])[..., None].astype("float32")
labels = (np.arange(24) > 11).astype("int64")
model = Encoder(cfg)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(snippets, labels, epochs=1, verbose=0)
print(model.summary())
