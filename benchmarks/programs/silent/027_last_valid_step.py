import numpy as np
import tensorflow as tf
import keras
from keras import layers

MAXLEN, UNITS = 9, 8


class LastStep(layers.Layer):
    def call(self, states, lengths):
        b = tf.shape(states)[0]
        flat = tf.reshape(states, (b * MAXLEN, UNITS))
        at = tf.reshape(lengths, (-1,)) - 1
        return tf.gather(flat, at)


def sessions(n, seed):
    rng = np.random.default_rng(seed)
    length = rng.integers(3, MAXLEN + 1, n)
    x = rng.normal(size=(n, MAXLEN, 2)).astype("float32")
    x[np.arange(MAXLEN)[None] >= length[:, None]] = 0.0
    y = np.array([x[i, :l, 0].sum() for i, l in enumerate(length)], "float32")
    return x, length.astype("int32")[:, None], y[:, None]


def build():
    x = keras.Input((MAXLEN, 2))
    n = keras.Input((1,), dtype="int32")
    states = layers.GRU(UNITS, return_sequences=True)(x)
    last = LastStep()(states, n)
    return keras.Model([x, n], layers.Dense(1)(last))


keras.utils.set_random_seed(27)
x, n, y = sessions(120, 0)
model = build()
model.compile(optimizer=keras.optimizers.Adam(0.02), loss="mse")
hist = model.fit([x, n], y, epochs=10, batch_size=30, verbose=0)
print("loss per epoch:", [round(v, 3) for v in hist.history["loss"][::3]])
