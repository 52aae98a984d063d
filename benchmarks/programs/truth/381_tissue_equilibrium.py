"""Oxygen in a tissue slice: a learned source and a relaxation run to equilibrium."""
from dataclasses import asdict, dataclass
from typing import Optional

import numpy as np
import tensorflow as tf


@dataclass
class Relaxation:
    tol: float = 1e-3
    mix: float = 0.6
    max_sweeps: Optional[int] = None


class Equilibrium(tf.Module):
    def __init__(self, tol, mix, max_sweeps):
        super().__init__()
        self.tol, self.mix, self.max_sweeps = tol, mix, max_sweeps
        k = np.array([[0.0, 1, 0], [1, 0, 1], [0, 1, 0]]) / 4.0
        self.k = tf.constant(k[:, :, None, None], tf.float32)

    def sweep(self, field, source):
        spread = tf.nn.conv2d(field, self.k, 1, "SAME")
        return (1 - self.mix) * field + self.mix * (0.9 * spread + source)

    def __call__(self, source):
        def go_on(field, gap):
            return gap > self.tol

        def body(field, gap):
            new = self.sweep(field, source)
            return new, tf.reduce_max(tf.abs(new - field))

        start = (tf.zeros_like(source), tf.constant(1.0))
        return tf.while_loop(go_on, body, start, maximum_iterations=self.max_sweeps)[0]


class Tissue(tf.Module):
    def __init__(self, relaxation, seed=2):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.solve = Equilibrium(**asdict(relaxation))
        self.w = tf.Variable(0.3 * g.normal([3, 3, 2, 1]))

    def source(self, vessels):
        return tf.nn.softplus(tf.nn.conv2d(vessels, self.w, 1, "SAME"))

    @tf.function(jit_compile=True)
    def fit(self, vessels, oxygen, rate):
        with tf.GradientTape() as tape:
            field = self.solve(self.source(vessels))
            loss = tf.reduce_mean(tf.square(field - oxygen))
        self.w.assign_sub(rate * tape.gradient(loss, self.w))
        return loss


def slices(count, side, seed):
    rng = np.random.default_rng(seed)
    vessels = (rng.uniform(size=(count, side, side, 2)) < 0.1).astype("float32")
    oxygen = 2.0 + vessels.sum(-1, keepdims=True) + 0.1 * rng.normal(size=(count, side, side, 1))
    return tf.constant(vessels), tf.constant(oxygen, tf.float32)


def main():
    vessels, oxygen = slices(8, 16, seed=1)
    tissue = Tissue(Relaxation())
    losses = [float(tissue.fit(vessels, oxygen, tf.constant(0.01))) for _ in range(6)]
    print("loss", np.round(losses, 3).tolist())


if __name__ == "__main__":
    main()
