import numpy as np
import keras
from keras import layers, ops

BINS, FRAMES, CHANNELS = 12, 10, 1


class FlattenSpectrogram(layers.Layer):
    def __init__(self, stereo=True, **kw):
        super().__init__(**kw)
        self.width = BINS * FRAMES * (2 if stereo else 1)

    def call(self, x):
        return ops.reshape(x, (ops.shape(x)[0], BINS * FRAMES * CHANNELS))


def make_clips(n, seed=0):
    rng = np.random.default_rng(seed)
    loud = rng.uniform(0.2, 2.0, size=(n, 1, 1, 1))
    spec = np.abs(rng.normal(size=(n, BINS, FRAMES, CHANNELS))) * loud
    return spec.astype("float32"), loud[:, 0, 0, 0]


def build():
    inp = keras.Input((BINS, FRAMES, CHANNELS))
    h = FlattenSpectrogram()(inp)
    h = layers.Dense(8, activation="relu")(h)
    return keras.Model(inp, layers.Dense(1)(h))


keras.utils.set_random_seed(3)
clips, loudness = make_clips(48)
ids = [f"clip_{i:03d}" for i in range(len(clips))]
model = build()
scores = model.predict(clips, batch_size=16, verbose=0)[:, 0]
table = {cid: float(s) for cid, s in zip(ids, scores)}
best = sorted(table, key=table.get, reverse=True)[:3]
print("highest scored clips:", best)
