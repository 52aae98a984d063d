"""A whale detector on whole recordings and on chunks; both must give the same scores."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass(frozen=True)
class Detector:
    taps: int = 9
    bands: int = 4
    hidden: int = 6
    border: str = "centred"
    seed: int = 40

    def weights(self):
        g = np.random.default_rng(self.seed)
        a = g.normal(size=(self.taps, self.bands, self.hidden)) / np.sqrt(self.taps * self.bands)
        return tf.constant(a, tf.float32), tf.constant(g.normal(size=(self.hidden, 1)), tf.float32)

    def before(self):
        return {"centred": self.taps // 2, "causal": self.taps - 1}[self.border]


class Whole:
    def __init__(self, detector):
        self.d = detector
        self.a, self.b = detector.weights()

    @tf.function
    def __call__(self, x):
        left = self.d.before()
        x = tf.pad(x, [[0, 0], [left, self.d.taps - 1 - left], [0, 0]])
        h = tf.nn.relu(tf.nn.conv1d(x, self.a, 1, "VALID"))
        return tf.sigmoid(h @ self.b)[..., 0]


class Stream:
    def __init__(self, detector, batch):
        self.d = detector
        self.a, self.b = detector.weights()
        self.past = tf.Variable(tf.zeros([batch, detector.taps - 1, detector.bands]))

    @tf.function
    def push(self, chunk):
        x = tf.concat([self.past, chunk], axis=1)
        self.past.assign(x[:, -(self.d.taps - 1):])
        h = tf.nn.relu(tf.nn.conv1d(x, self.a, 1, "VALID"))
        return tf.sigmoid(h @ self.b)[..., 0]


def main():
    rng = np.random.default_rng(0)
    x = tf.constant(rng.normal(size=(3, 120, 4)), tf.float32)
    detector = Detector()
    whole = Whole(detector)(x)
    stream = Stream(detector, batch=3)
    parts = [stream.push(x[:, s:s + 24]) for s in range(0, 120, 24)]
    chunks = tf.concat(parts, axis=1)
    print("whole", whole.shape, "chunks", chunks.shape)
    np.testing.assert_allclose(chunks.numpy(), whole.numpy(), rtol=1e-4, atol=1e-5)
    print("same scores; loud frames:", int(tf.reduce_sum(tf.cast(whole > 0.5, tf.int32))))


if __name__ == "__main__":
    main()
