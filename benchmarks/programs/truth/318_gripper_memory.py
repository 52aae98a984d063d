"""Slip detection for a robot gripper: a recurrent filter with a running statistic of its activity."""
import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass(frozen=True)
class Setup:
    taxels: int = 12
    steps: int = 30
    hidden: int = 16
    batch: int = 32
    epochs: int = 4
    lr: float = 8e-3


def episodes(n, s, seed):
    rng = np.random.default_rng(seed)
    slip = rng.random(n) < 0.5
    x = rng.normal(0, 0.4, (n, s.steps, s.taxels))
    at = rng.integers(8, s.steps - 5, n)
    for i in np.flatnonzero(slip):
        wave = np.sin(np.arange(5)[:, None] * 2.0 + np.arange(s.taxels) * 0.5)
        x[i, at[i] : at[i] + 5] += 1.2 * wave
    return x.astype("float32"), slip.astype("float32")


class ActivityProbe:
    """Collects how busy the hidden units are, for the plot after the training."""

    def __init__(self):
        self.last = None
        self.history = []

    def look(self, h):
        self.last = tf.reduce_mean(tf.abs(h), axis=0)

    def close_epoch(self):
        self.history.append(self.last)

    def table(self):
        return np.stack([np.asarray(v) for v in self.history])


class SlipNet(tf.Module):
    def __init__(self, s, probe):
        super().__init__()
        init = tf.keras.initializers.Orthogonal(seed=1)
        self.s = s
        self.probe = probe
        self.wx = tf.Variable(init([s.taxels, s.hidden]), name="wx")
        self.wh = tf.Variable(init([s.hidden, s.hidden]) * 0.9, name="wh")
        self.wo = tf.Variable(init([s.hidden, 1]), name="wo")
        self.b = tf.Variable(tf.zeros([s.hidden]), name="b")

    def __call__(self, x):
        h = tf.zeros([tf.shape(x)[0], self.s.hidden])
        peak = h
        for t in range(self.s.steps):
            h = tf.tanh(tf.matmul(x[:, t], self.wx) + tf.matmul(h, self.wh) + self.b)
            peak = tf.maximum(peak, h * h)
        self.probe.look(peak)
        return tf.matmul(peak, self.wo)[:, 0]


def bce(y, logit):
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logit))


def main(s=Setup()):
    tf.keras.utils.set_random_seed(0)
    probe = ActivityProbe()
    net = SlipNet(s, probe)
    opt = tf.keras.optimizers.Adam(s.lr)
    opt.build(net.trainable_variables)

    @tf.function(reduce_retracing=True)
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = bce(y, net(x))
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss

    ds = tf.data.Dataset.from_tensor_slices(episodes(800, s, 0)).shuffle(800, seed=0).batch(s.batch)
    for epoch in range(s.epochs):
        loss = np.mean([step(x, y) for x, y in ds])
        probe.close_epoch()
        print(f"epoch {epoch} loss {loss:.3f}")

    activity = probe.table()
    print("busiest unit by epoch:", activity.argmax(axis=1), activity.max(axis=1).round(2))
    tx, ty = episodes(200, s, 5)
    print("accuracy:", float(np.mean((net(tx).numpy() > 0) == (ty > 0.5))))


if __name__ == "__main__":
    main()
