import numpy as np
import tensorflow as tf
from tensorflow.keras import layers


class FaceLoader:
    """Yields (image, targets) from memory."""

    def __init__(self, n=40, size=24):
        rng = np.random.default_rng(9)
        self.faces = rng.random((n, size, size, 3)).astype("float32")
        self.age = rng.integers(0, 5, n)
        self.gender = rng.integers(0, 3, n)

    def dataset(self, batch):
        age = tf.one_hot(self.age, 5)
        gender = tf.one_hot(self.gender, 3)
        targets = (gender, age)
        ds = tf.data.Dataset.from_tensor_slices((self.faces, targets))
        return ds.shuffle(40).batch(batch).prefetch(1)


def backbone(x):
    for f in (8, 16):
        x = layers.SeparableConv2D(f, 3, strides=2, padding="same", activation="relu")(x)
    return layers.GlobalAveragePooling2D()(x)


def build():
    inp = layers.Input((24, 24, 3))
    h = backbone(inp)
    age = layers.Dense(5, activation="softmax", name="age")(h)
    gender = layers.Dense(3, activation="softmax", name="gender")(h)
    return tf.keras.Model(inp, [age, gender])


model = build()
model.compile(
    optimizer="adam",
    loss=["categorical_crossentropy", "categorical_crossentropy"],
    loss_weights=[1.0, 0.5],
)
model.fit(FaceLoader().dataset(10), epochs=1, verbose=2)
