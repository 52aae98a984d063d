import numpy as np
import tensorflow as tf
import keras
from keras import layers, ops

keras.utils.set_random_seed(8)
ENCODER_FILTERS = (8, 16, 32)
DECODER_FILTERS = (16, 8)


def dice_loss(y_true, y_pred):
    y_true = ops.cast(y_true, y_pred.dtype)
    inter = ops.sum(y_true * y_pred, axis=(1, 2, 3))
    total = ops.sum(y_true, axis=(1, 2, 3)) + ops.sum(y_pred, axis=(1, 2, 3))
    return 1.0 - (2.0 * inter + 1.0) / (total + 1.0)


class RoadNet(keras.Model):
    def __init__(self):
        super().__init__()
        self.down = [layers.Conv2D(f, 3, strides=2, padding="same", activation="relu")
                     for f in ENCODER_FILTERS]
        self.up = [layers.Conv2DTranspose(f, 3, strides=2, padding="same", activation="relu")
                   for f in DECODER_FILTERS]
        self.head = layers.Conv2D(1, 1, activation="sigmoid")

    def call(self, x):
        for layer in self.down:
            x = layer(x)
        for layer in self.up:
            x = layer(x)
        return self.head(x)


rng = np.random.default_rng(8)
tiles = rng.random((16, 32, 32, 3)).astype("float32")
roads = (tiles.mean(-1, keepdims=True) > 0.5).astype("float32")

net = RoadNet()
net.compile(optimizer="adam", loss=dice_loss)
net.fit(tiles, roads, batch_size=8, epochs=2, verbose=0)
print("loss", net.evaluate(tiles, roads, verbose=0))
