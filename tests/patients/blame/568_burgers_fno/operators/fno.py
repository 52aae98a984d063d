import keras

from .spectral import FourierBlock


class FNO1D(keras.Model):
    def __init__(self, width, modes, blocks):
        super().__init__()
        self.lift = keras.layers.Dense(width)
        self.stack = [FourierBlock(width, modes, last=k == blocks - 1) for k in range(blocks)]
        self.down = keras.Sequential([keras.layers.Dense(32, activation="gelu"), keras.layers.Dense(1)])

    def call(self, x):
        h = self.lift(x)
        for block in self.stack:
            h = block(h)
        return self.down(h)
