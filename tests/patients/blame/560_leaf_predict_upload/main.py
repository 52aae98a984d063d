import io

import numpy as np
import tensorflow as tf

from service import DISEASES, SIDE, Service


def classifier():
    inputs = tf.keras.Input((SIDE, SIDE, 3))
    x = tf.keras.layers.Rescaling(1 / 255.0)(inputs)
    x = tf.keras.layers.Conv2D(6, 5, strides=2, activation="relu")(x)
    x = tf.keras.layers.Conv2D(6, 5, strides=2, activation="relu")(x)
    x = tf.keras.layers.Flatten()(x)
    outputs = tf.keras.layers.Dense(len(DISEASES), activation="softmax")(x)
    m = tf.keras.Model(inputs, outputs)
    m.compile("adam", "sparse_categorical_crossentropy")
    return m


def phone_photo(seed):
    px = np.random.default_rng(seed).integers(0, 256, (60, 80, 3)).astype("uint8")
    return io.BytesIO(tf.io.encode_png(px).numpy())


rng = np.random.default_rng(0)
model = classifier()
model.fit(rng.integers(0, 256, (12, SIDE, SIDE, 3)).astype("float32"), rng.integers(0, 3, 12),
          epochs=1, batch_size=6, verbose=0)
service = Service(model)
for s in range(2):
    print(service.answer(phone_photo(s)))
