# Harmonic fit of a tide gauge: mean level + sum of constituents.
import math
import os

os.environ.setdefault("TF_XLA_FLAGS", "--tf_xla_auto_jit=2")

import numpy as np
import tensorflow as tf

TABLE = """
M2 28.9841042
S2 30.0000000
N2 28.4397295
K2 30.0821373
K1 15.0410686
O1 13.9430356
P1 14.9589314
Q1 13.3986609
M4 57.9682084
"""

# equilibrium phases (degrees) for 2004-01-01 00:00 UTC
EQUILIBRIUM = [
    306.1, 0.0, 183.9, 201.5,
    190.2, 118.6, 349.8, 355.9,
]

HOURS = 240


def constituents(text):
    names, speeds = [], []
    for row in text.strip().splitlines():
        name, speed = row.split()
        names.append(name)
        speeds.append(float(speed) * math.pi / 180.0)
    return names, np.asarray(speeds, dtype=np.float32)


def gauge(hours, speeds, seed=4):
    rng = np.random.default_rng(seed)
    t = np.arange(hours, dtype=np.float32)
    amp = rng.uniform(0.05, 1.2, size=speeds.shape)
    lag = rng.uniform(0, 2 * np.pi, size=speeds.shape)
    level = 2.1 + (amp * np.cos(t[:, None] * speeds - lag)).sum(1)
    return t, (level + 0.03 * rng.standard_normal(hours)).astype(np.float32)


class HarmonicModel(tf.Module):
    def __init__(self, speeds, phases, name="tide"):
        super().__init__(name=name)
        self.speeds = tf.constant(speeds)
        self.phases = tf.constant(np.radians(phases), tf.float32)
        self.mean = tf.Variable(0.0)
        self.re = tf.Variable(tf.zeros_like(self.speeds))
        self.im = tf.Variable(tf.zeros_like(self.speeds))

    def argument(self, t):
        turn = t[:, tf.newaxis] * self.speeds
        return turn + self.phases

    def __call__(self, t):
        v = self.argument(t)
        return self.mean + tf.linalg.matvec(tf.cos(v), self.re) + tf.linalg.matvec(tf.sin(v), self.im)


def fit(model, t, level, steps=150, rate=0.2):
    opt = tf.keras.optimizers.Adam(rate)
    for step in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(t) - level))
        g = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(g, model.trainable_variables))
        if step % 50 == 0:
            print(f"step {step:4d} mse {float(loss):.5f}")


if __name__ == "__main__":
    names, speeds = constituents(TABLE)
    print(len(names), "constituents:", ", ".join(names))
    t, level = gauge(HOURS, speeds)
    model = HarmonicModel(speeds, EQUILIBRIUM)
    fit(model, tf.constant(t), tf.constant(level))
    amp = tf.sqrt(model.re ** 2 + model.im ** 2).numpy()
    for n, a in zip(names, amp):
        print(f"{n:3s} {a:.3f} m")
