"""Find the heart beats in an electrocardiogram, with attention over windows of ten seconds."""

import numpy as np
import tensorflow as tf

BATCH, SAMPLES, CHANNELS = 32, 250, 2


class Attention(tf.keras.layers.Layer):
    def __init__(self, heads):
        super().__init__()
        self.heads = heads
        self.project = tf.keras.layers.Dense(heads)

    def call(self, signal):
        scores = self.project(signal)
        scores = tf.reshape(scores, [BATCH, SAMPLES, self.heads])
        weights = tf.nn.softmax(scores, axis=1)
        return tf.matmul(weights, signal, transpose_a=True)


def recordings(count):
    rng = np.random.default_rng(4)
    signals = rng.normal(size=(count, SAMPLES, CHANNELS)).astype("float32")
    beats = (signals[:, :, 0].mean(axis=1, keepdims=True) > 0).astype("float32")
    return signals, beats


signals, beats = recordings(200)
model = tf.keras.Sequential(
    [
        tf.keras.Input((SAMPLES, CHANNELS)),
        Attention(heads=4),
        tf.keras.layers.Flatten(),
        tf.keras.layers.Dense(1, activation="sigmoid"),
    ]
)
model.compile("adam", "binary_crossentropy")
model.fit(signals, beats, batch_size=BATCH, epochs=2, verbose=0)
