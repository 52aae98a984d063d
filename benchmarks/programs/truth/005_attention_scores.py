"""Single-head attention over sensor channels, written from scratch."""
import numpy as np
import tensorflow as tf
from tensorflow import keras


class ChannelAttention(keras.layers.Layer):
    def __init__(self, dim, **kw):
        super().__init__(**kw)
        self.dim = dim
        self.q = keras.layers.Dense(dim)
        self.k = keras.layers.Dense(dim)
        self.v = keras.layers.Dense(dim)

    def call(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        scores = tf.matmul(q, k) / self.dim ** 0.5
        weights = tf.nn.softmax(scores, axis=-1)
        return tf.matmul(weights, v)


class Classifier(keras.Model):
    def __init__(self):
        super().__init__()
        self.attention = ChannelAttention(8)
        self.pool = keras.layers.GlobalAveragePooling1D()
        self.out = keras.layers.Dense(3)

    def call(self, x):
        return self.out(self.pool(self.attention(x)))


rng = np.random.default_rng(5)
signals = rng.normal(size=(64, 12, 20)).astype("float32")
labels = rng.integers(0, 3, 64)
net = Classifier()
net.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), run_eagerly=True)
net.fit(signals, labels, batch_size=16, epochs=1, verbose=0)
print("ok")
