import keras
from keras import layers, ops


class Refine(layers.Layer):
    """Residual convolutional correction of the current image."""

    def __init__(self, filters, **kw):
        super().__init__(**kw)
        self.c1 = layers.Conv1D(filters, 5, padding="same", activation="relu")
        self.c2 = layers.Conv1D(filters, 5, padding="same", activation="relu")
        self.c3 = layers.Conv1D(1, 1, kernel_initializer="zeros")

    def call(self, image):
        h = ops.expand_dims(image, -1)
        return image + ops.squeeze(self.c3(self.c2(self.c1(h))), -1)


def build(points, filters, unrolls):
    inp = keras.Input((points,), name="zero_filled")
    h = inp
    for k in range(unrolls):
        h = Refine(filters, name=f"refine{k}")(h)
    out = layers.Activation("relu", name="image")(h)
    return keras.Model(inp, out)
