import keras
import tensorflow as tf
from keras import layers


class Enlarge(layers.Layer):
    """Skip path: plain interpolation to the fine grid."""

    def __init__(self, factor, method="bicubic", **kw):
        super().__init__(**kw)
        self.factor, self.method = factor, method

    def call(self, x):
        size = (x.shape[1] * self.factor, x.shape[2] * self.factor)
        return tf.image.resize(x, size, method=self.method)


def upscaler(size, factor):
    coarse = keras.Input((size, size, 1), name="coarse")
    h = layers.Conv2D(8, 3, padding="same", activation="relu")(coarse)
    h = layers.Conv2D(factor * factor, 3, padding="same")(h)
    detail = layers.Lambda(lambda t: tf.nn.depth_to_space(t, factor), name="shuffle")(h)
    base = Enlarge(factor, name="base")(coarse)
    return keras.Model(coarse, layers.Add()([base, detail]))
