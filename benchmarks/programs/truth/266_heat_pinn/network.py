"""A tanh network on (x, t) with random Fourier features in front."""
import numpy as np
from tensorflow import keras


class FourierFeatures(keras.layers.Layer):
    def __init__(self, count, scale, **kw):
        super().__init__(**kw)
        self.count, self.scale = count, scale

    def build(self, shape):
        table = np.random.default_rng(0).normal(0, self.scale, (shape[-1], self.count))
        self.table = self.add_weight(
            shape=table.shape, trainable=False, initializer=keras.initializers.Constant(table)
        )

    def call(self, z):
        angles = keras.ops.matmul(z, self.table)
        return keras.ops.concatenate([keras.ops.sin(angles), keras.ops.cos(angles)], axis=-1)


def build_network(units):
    z = keras.Input((2,), name="xt")
    h = FourierFeatures(units // 2, scale=1.5)(z)
    for _ in range(2):
        h = keras.layers.Dense(units, activation="tanh")(h)
    u = keras.layers.Dense(1, name="u")(h)
    return keras.Model(z, u)
