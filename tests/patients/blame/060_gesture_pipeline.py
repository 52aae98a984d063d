import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(91)


def gestures(n):
    rng = np.random.default_rng(91)
    kind = rng.integers(0, 4, n)
    t = np.linspace(0, 1, 10)
    path = np.sin(2 * np.pi * (kind[:, None] + 1) * t)[..., None]
    return (path + rng.normal(0, .1, (n, 10, 3))).astype("float32"), kind


def pipeline(x, y, training):
    ds = tf.data.Dataset.from_tensor_slices((x, y))
    if training:
        ds = ds.shuffle(len(x), seed=91)
        ds = ds.map(lambda a, b: (a + tf.random.normal(tf.shape(a), stddev=.01), b))
    return ds.prefetch(tf.data.AUTOTUNE)


x, kind = gestures(80)
train_ds = pipeline(x[:64], kind[:64], training=True)
valid_ds = pipeline(x[64:], kind[64:], training=False)

net = keras.Sequential([
    layers.Input((10, 3)),
    layers.Conv1D(12, 3, activation="relu"),
    layers.GlobalMaxPooling1D(),
    layers.Dense(4, activation="softmax"),
])
net.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = net.fit(train_ds, validation_data=valid_ds, epochs=1, verbose=0)
print(history.history)
