import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(102)
SIZE = 24


def resize(img, lab):
    return tf.image.resize(img, (SIZE, SIZE)), lab


def flip(img, lab):
    return tf.image.random_flip_left_right(img, seed=1), lab


def normalise(img, lab):
    return tf.cast(img, tf.float32) / 255.0, lab


def make(raw, steps, batch=8):
    ds = tf.data.Dataset.from_tensor_slices(raw)
    for step in steps:
        ds = ds.map(step)
    return ds.batch(batch)


def raw_images(n, seed):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 255, (n, 32, 32, 3), dtype="uint8"), rng.integers(0, 2, n)


train_raw, valid_raw = raw_images(32, 1), raw_images(16, 2)
train_ds = make(train_raw, [resize, flip, normalise])
valid_ds = make(valid_raw, [normalise])


class CatsDogs(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = keras.layers.Conv2D(6, 3, strides=2, activation="relu")
        self.flat = keras.layers.Flatten()
        self.fc = keras.layers.Dense(1, activation="sigmoid")

    def call(self, x):
        return self.fc(self.flat(self.conv(x)))


model = CatsDogs()
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
model.fit(train_ds, validation_data=valid_ds, epochs=1, verbose=0)
print(model.evaluate(valid_ds, verbose=0))
