import keras
from keras import ops


class Cross(keras.layers.Layer):
    """x0 * (W x + b) + x, as in deep and cross networks."""

    def __init__(self, width):
        super().__init__()
        self.w = self.add_weight(shape=(width, width), initializer="glorot_uniform", name="w")
        self.b = self.add_weight(shape=(width,), initializer="zeros", name="b")

    def call(self, x0, x):
        return x0 * (ops.matmul(x, self.w) + self.b) + x
