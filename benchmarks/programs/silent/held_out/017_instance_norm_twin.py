import numpy as np
import keras
from keras import layers, ops

FEATURES = 16
BATCH = 16


class RowNorm(layers.Layer):
    def __init__(self, eps=1e-3, **kw):
        super().__init__(**kw)
        self.eps = eps

    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale")
        self.shift = self.add_weight(shape=(shape[-1],), initializer="zeros", name="shift")

    def call(self, x):
        mean = ops.mean(x, axis=-1, keepdims=True)
        std = ops.std(x, axis=-1, keepdims=True)
        return self.scale * (x - mean) / (std + self.eps) + self.shift


def spectra(n=64, seed=9):
    rng = np.random.default_rng(seed)
    gain = rng.uniform(0.5, 20.0, (n, 1))
    kind = rng.integers(0, 2, n)
    base = np.where(kind[:, None] == 1, np.linspace(0, 1, FEATURES), np.linspace(1, 0, FEATURES))
    x = gain * (base + 0.05 * rng.normal(size=(n, FEATURES)))
    return x.astype("float32"), kind.astype("float32")[:, None]


keras.utils.set_random_seed(14)
x, y = spectra()
model = keras.Sequential([keras.Input((FEATURES,)), RowNorm(), layers.Dense(1, activation="sigmoid")])
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x, y, epochs=8, batch_size=BATCH, verbose=0)
out = model.evaluate(x, y, batch_size=BATCH, verbose=0, return_dict=True)
print({k: round(v, 4) for k, v in out.items()})
