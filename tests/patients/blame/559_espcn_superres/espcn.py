import tensorflow as tf
from tensorflow.keras import layers


class PixelShuffle(layers.Layer):
    def __init__(self, scale, **kw):
        super().__init__(**kw)
        self.scale = scale

    def call(self, x):
        return tf.nn.depth_to_space(x, self.scale)


def espcn(scale, colours=3, width=8):
    inp = tf.keras.Input((None, None, colours))
    x = layers.Conv2D(width, 5, padding="same", activation="relu")(inp)
    x = layers.Conv2D(width, 3, padding="same", activation="relu")(x)
    x = layers.Conv2D(colours * scale, 3, padding="same")(x)
    return tf.keras.Model(inp, PixelShuffle(scale)(x))
