import keras
import tensorflow as tf


class SpectralConv1D(keras.layers.Layer):
    """Linear map on the lowest Fourier modes, zero above."""

    def __init__(self, width, modes, **kw):
        super().__init__(**kw)
        self.width, self.modes = width, modes

    def build(self, shape):
        scale = 1.0 / (shape[-1] * self.width)
        init = keras.initializers.RandomUniform(-scale, scale)
        size = (self.modes, shape[-1], self.width)
        self.re = self.add_weight(shape=size, initializer=init, name="re")
        self.im = self.add_weight(shape=size, initializer=init, name="im")

    def call(self, x):
        n = tf.shape(x)[1]
        ft = tf.signal.rfft(tf.transpose(x, [0, 2, 1]))         # (b, c, k)
        low = ft[:, :, :self.modes]
        weight = tf.complex(self.re, self.im)
        out = tf.einsum("bck,kcd->bdk", low, weight)
        pad = n // 2 + 1 - self.modes
        out = tf.pad(out, [[0, 0], [0, 0], [0, pad]])
        return tf.transpose(tf.signal.irfft(out, [n]), [0, 2, 1])


class FourierBlock(keras.layers.Layer):
    def __init__(self, width, modes, last=False, **kw):
        super().__init__(**kw)
        self.spectral = SpectralConv1D(width, modes)
        self.local = keras.layers.Dense(width)
        self.last = last

    def call(self, x):
        y = self.spectral(x) + self.local(x)
        return y if self.last else tf.nn.gelu(y)
