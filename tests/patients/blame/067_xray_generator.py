import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(98)
SIDE = 20

SPEC = {
    "image": tf.TensorSpec((SIDE, SIDE), tf.float32),
    "label": tf.TensorSpec((), tf.int32),
}


class Xray:
    def __init__(self, n):
        self.n = n
        self.rng = np.random.default_rng(98)

    def __call__(self):
        for _ in range(self.n):
            label = int(self.rng.integers(0, 2))
            image = self.rng.random((SIDE, SIDE)) * (0.5 + label)
            yield image[..., None].astype("float32"), label


def make_dataset(n, batch):
    ds = tf.data.Dataset.from_generator(Xray(n), output_signature=(SPEC["image"], SPEC["label"]))
    return ds.batch(batch)


def build():
    image = keras.Input((SIDE, SIDE, 1))
    x = layers.Conv2D(8, 3, activation="relu")(image)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(image, layers.Dense(1, activation="sigmoid")(x))


model = build()
model.compile("adam", "binary_crossentropy")
ds = make_dataset(24, 8)
model.fit(ds, epochs=1, verbose=0)
print(model.evaluate(ds, verbose=0))
