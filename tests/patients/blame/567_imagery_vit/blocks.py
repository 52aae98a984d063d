import keras
import numpy as np
from keras import layers, ops


def sinusoids(length, depth):
    pos = np.arange(length)[:, None]
    rate = 1 / 10000 ** (2 * (np.arange(depth) // 2) / depth)
    angle = pos * rate[None, :]
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return angle.astype("float32")


class Patches(layers.Layer):
    """Cut (time, channel) into non overlapping pieces and project them."""

    def __init__(self, patch, d_model, **kw):
        super().__init__(**kw)
        self.project = layers.Conv1D(d_model, patch, strides=patch)

    def call(self, x):
        return self.project(x)


class ClassToken(layers.Layer):
    def build(self, shape):
        self.token = self.add_weight(shape=(1, 1, shape[-1]), initializer="random_normal", name="token")

    def call(self, x):
        tok = ops.broadcast_to(self.token, (ops.shape(x)[0], 1, x.shape[-1]))
        return ops.concatenate([tok, x], axis=1)


class AddPosition(layers.Layer):
    def __init__(self, length, depth, **kw):
        super().__init__(**kw)
        self.table = sinusoids(length, depth)[None]

    def call(self, x):
        return x + ops.convert_to_tensor(self.table)


class EncoderBlock(layers.Layer):
    def __init__(self, d_model, heads, ff, dropout, **kw):
        super().__init__(**kw)
        self.attention = layers.MultiHeadAttention(heads, d_model // heads, dropout=dropout)
        self.norm1 = layers.LayerNormalization(epsilon=1e-5)
        self.norm2 = layers.LayerNormalization(epsilon=1e-5)
        self.ff1 = layers.Dense(ff, activation="gelu")
        self.ff2 = layers.Dense(d_model)
        self.drop = layers.Dropout(dropout)

    def call(self, x, training=None):
        h = self.norm1(x)
        x = x + self.drop(self.attention(h, h, training=training), training=training)
        h = self.ff2(self.ff1(self.norm2(x)))
        return x + self.drop(h, training=training)
