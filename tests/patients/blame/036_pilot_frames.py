import numpy as np
import tensorflow as tf
from tensorflow.keras import layers, models

tf.keras.utils.set_random_seed(63)


class ArrayFolder:
    """Imitates a folder of .npy files saved by another framework."""

    def __init__(self, n, height=20, width=32):
        self.rng = np.random.default_rng(63)
        self.n, self.height, self.width = n, height, width

    def read(self):
        frames = self.rng.integers(0, 256, (self.n, 3, self.height, self.width), dtype="uint8")
        angle = self.rng.uniform(-1, 1, self.n)
        return frames, angle.astype("float32")


def to_channels_last(batch):
    return batch.transpose(0, 1, 3, 2)


def scale(batch):
    return batch.astype("float32") / 127.5 - 1.0


frames, angle = ArrayFolder(24).read()
frames = scale(to_channels_last(frames))

pilot = models.Sequential()
pilot.add(layers.Input((20, 32, 3)))
pilot.add(layers.Conv2D(12, 5, strides=2, activation="elu"))
pilot.add(layers.Conv2D(16, 3, strides=2, activation="elu"))
pilot.add(layers.Flatten())
pilot.add(layers.Dense(16, activation="elu"))
pilot.add(layers.Dense(1))
pilot.compile(optimizer="adam", loss="mse")
pilot.fit(frames, angle, batch_size=8, epochs=1, verbose=0)
print("steering", pilot.predict(frames[:3], verbose=0).ravel())
