"""Tiny vision transformer for leaf disease photos (5 classes)."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

CFG = {
    "image": 48,
    "patch": 8,
    "dim": 24,
    "heads": 3,
    "depth": 2,
    "classes": 5,
}
CFG["tokens"] = CFG["image"] // CFG["patch"] * 2

rng = np.random.default_rng(7)


def fake_leaves(n):
    y = rng.integers(0, CFG["classes"], n)
    x = rng.normal(0.4, 0.1, (n, CFG["image"], CFG["image"], 3))
    x[:, ::2, :, 1] += 0.05 * y[:, None, None]
    return x.astype("float32"), y.astype("int32")


class PatchTokens(layers.Layer):
    def __init__(self, patch, dim, tokens, **kw):
        super().__init__(**kw)
        self.patch = patch
        self.proj = layers.Dense(dim)
        self.pos = layers.Embedding(tokens, dim)
        self.ids = tf.range(tokens)

    def call(self, images):
        p = tf.image.extract_patches(
            images,
            sizes=[1, self.patch, self.patch, 1],
            strides=[1, self.patch, self.patch, 1],
            rates=[1, 1, 1, 1],
            padding="VALID",
        )
        p = tf.reshape(p, (tf.shape(images)[0], -1, self.patch * self.patch * 3))
        return self.proj(p) + self.pos(self.ids)


def encoder_block(x):
    h = layers.LayerNormalization()(x)
    h = layers.MultiHeadAttention(CFG["heads"], CFG["dim"] // CFG["heads"])(h, h)
    x = layers.Add()([x, h])
    h = layers.LayerNormalization()(x)
    h = layers.Dense(2 * CFG["dim"], activation="gelu")(h)
    h = layers.Dense(CFG["dim"])(h)
    return layers.Add()([x, h])


images, labels = fake_leaves(40)

inp = keras.Input((CFG["image"], CFG["image"], 3))
x = layers.Rescaling(2.0, offset=-1.0)(inp)
x = PatchTokens(CFG["patch"], CFG["dim"], CFG["tokens"])(x)
for _ in range(CFG["depth"]):
    x = encoder_block(x)
x = layers.GlobalAveragePooling1D()(x)
out = layers.Dense(CFG["classes"], activation="softmax")(x)
model = keras.Model(inp, out)

model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(images, labels, batch_size=10, epochs=1, verbose=0)
print("done", model.count_params())
