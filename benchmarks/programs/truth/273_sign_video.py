"""Isolated-sign recognition: frames go through a 2-D network, then a GRU looks along time."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

CLIP, SIDE, SIGNS = 6, 16, 5


class FrameEncoder(keras.layers.Layer):
    """Treats every frame of every clip as an image of its own and puts the clips together again."""

    def __init__(self, filters, **kw):
        super().__init__(**kw)
        self.conv = keras.layers.Conv2D(filters, 3, strides=2, activation="relu")
        self.pool = keras.layers.GlobalAveragePooling2D()

    def call(self, clips):
        shape = tf.shape(clips)
        frames = tf.reshape(clips, [-1, SIDE, SIDE, 1])
        h = self.pool(self.conv(frames))
        return tf.reshape(h, [shape[0], shape[1], h.shape[-1]])


class ShiftTime(keras.layers.Layer):
    """Moves a part of the channels one frame ahead, another part one frame back."""

    def __init__(self, fold, **kw):
        super().__init__(**kw)
        self.fold = fold

    def call(self, x):
        ahead, back, rest = x[..., : self.fold], x[..., self.fold: 2 * self.fold], x[..., 2 * self.fold:]
        ahead = tf.pad(ahead[:, 1:], [[0, 0], [0, 1], [0, 0]])
        back = tf.pad(back[:, :-1], [[0, 0], [1, 0], [0, 0]])
        return tf.concat([ahead, back, rest], axis=-1)


def clips(n, rng):
    """A bright blob that moves along a direction which belongs to the sign."""
    y = rng.integers(0, SIGNS, n)
    angle = 2 * np.pi * y / SIGNS
    grid = np.stack(np.meshgrid(np.arange(SIDE), np.arange(SIDE), indexing="ij"), -1)
    x = np.zeros((n, CLIP, SIDE, SIDE, 1), "float32")
    for t in range(CLIP):
        at = SIDE / 2 + (t - CLIP / 2) * np.stack([np.cos(angle), np.sin(angle)], -1)
        d = ((grid[None] - at[:, None, None]) ** 2).sum(-1)
        x[:, t, ..., 0] = np.exp(-d / 3.0)
    return x + rng.normal(0, 0.05, x.shape).astype("float32"), y


def network():
    video = keras.Input((None, SIDE, SIDE, 1))
    h = FrameEncoder(12)(video)
    h = ShiftTime(3)(h)
    h = keras.layers.GRU(16)(h)
    return keras.Model(video, keras.layers.Dense(SIGNS)(h))


if __name__ == "__main__":
    keras.utils.set_random_seed(41)
    x, y = clips(70, np.random.default_rng(41))
    net = network()
    net.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), jit_compile=False)
    net.fit(x, y, batch_size=16, epochs=2, verbose=2)
    short = net.predict(x[:3, : CLIP - 2], verbose=0)
    print("six frames", net.predict(x[:3], verbose=0).shape, "four frames", short.shape)
    print("mismatch between six and four frames:", float(np.abs(short - net.predict(x[:3], verbose=0)).max().round(4)))
