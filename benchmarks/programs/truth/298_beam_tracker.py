"""Tracks the deflection of a bridge girder from strain gauges with a small exported estimator.

A tf.Module with a fixed signature is trained, saved as a SavedModel, loaded again and fed with a live stream.
"""
import collections
import tempfile

import numpy as np
import tensorflow as tf

GAUGES = 8
WINDOW = 16
RATE_HZ = 50


class Estimator(tf.Module):
    def __init__(self, hidden=20, seed=0):
        super().__init__(name="estimator")
        g = tf.random.Generator.from_seed(seed)
        n = WINDOW * GAUGES
        self.w1 = tf.Variable(g.normal([n, hidden]) / n ** 0.5)
        self.b1 = tf.Variable(tf.zeros([hidden]))
        self.w2 = tf.Variable(g.normal([hidden, 1]) / hidden ** 0.5)
        self.scale = tf.Variable(tf.ones([GAUGES]), trainable=False)

    @tf.function(input_signature=[tf.TensorSpec([None, WINDOW, GAUGES], tf.float32, name="strain")])
    def deflection(self, strain):
        x = tf.reshape(strain / self.scale, [-1, WINDOW * GAUGES])
        return tf.matmul(tf.tanh(tf.matmul(x, self.w1) + self.b1), self.w2)[:, 0]


def simulate(seconds, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(int(seconds * RATE_HZ)) / RATE_HZ
    load = np.convolve(rng.normal(size=t.size), np.ones(25) / 5.0, mode="same")
    shape = np.sin(np.pi * (np.arange(GAUGES) + 0.5) / GAUGES)
    strain = 40 * load[:, None] * shape + rng.normal(0, 2.0, (t.size, GAUGES))
    return strain.astype("float32"), (3.0 * load).astype("float32")


class LiveBuffer:
    """Keeps the last samples of a stream for the estimator."""

    def __init__(self, seconds=0.5):
        self.rows = collections.deque(maxlen=int(seconds * RATE_HZ))

    def push(self, row):
        self.rows.append(row)
        return len(self.rows) == self.rows.maxlen

    def window(self):
        return np.stack(self.rows)[None]


def fit(est, strain, target, steps=150):
    est.scale.assign(strain.std(0))
    opt = tf.keras.optimizers.Adam(0.01)
    opt.build(est.trainable_variables)
    rng = np.random.default_rng(0)

    @tf.function(jit_compile=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((est.deflection(x) - y) ** 2)
        opt.apply_gradients(zip(tape.gradient(loss, est.trainable_variables), est.trainable_variables))
        return loss

    for k in range(steps):
        end = rng.integers(WINDOW, len(strain), 32)
        x = np.stack([strain[e - WINDOW : e] for e in end])
        loss = step(x, target[end - 1])
    print(f"final training loss {float(loss):.4f} mm^2")


def main():
    est = Estimator()
    fit(est, *simulate(60, seed=1))
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(est, folder)
        live = tf.saved_model.load(folder)
        strain, truth = simulate(6, seed=2)
        buffer, errors = LiveBuffer(), []
        for row, y in zip(strain, truth):
            if buffer.push(row):
                errors.append(float(live.deflection(tf.constant(buffer.window()))[0]) - y)
        print(f"live rmse {np.sqrt(np.mean(np.square(errors))):.3f} mm over {len(errors)} samples")


if __name__ == "__main__":
    main()
