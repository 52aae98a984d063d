"""SEIR rollouts of an epidemic for several regions at once, with a learnt contact rate."""
from __future__ import annotations

import numpy as np
import tensorflow as tf

REGIONS = 6
TRUE_BETA = np.array([0.25, 0.31, 0.4, 0.28, 0.35, 0.22], "float32")
SIGMA, GAMMA = 1 / 4.0, 1 / 7.0


def derivatives(state, beta):
    s, e, i, r = tf.unstack(state, axis=-1)
    new = beta * s * i
    return tf.stack([-new, new - SIGMA * e, SIGMA * e - GAMMA * i, GAMMA * i], axis=-1)


def rk4(state, beta, h):
    k1 = derivatives(state, beta)
    k2 = derivatives(state + 0.5 * h * k1, beta)
    k3 = derivatives(state + 0.5 * h * k2, beta)
    k4 = derivatives(state + h * k3, beta)
    return state + h / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)


class Rollout(tf.Module):
    def __init__(self, regions: int, substeps: int = 2):
        super().__init__()
        self.raw = tf.Variable(tf.fill([regions], -1.2), name="raw_beta")
        self.substeps = substeps

    @property
    def beta(self):
        return tf.nn.softplus(self.raw)

    def start(self):
        i0 = tf.fill([self.raw.shape[0]], 0.002)
        z = tf.zeros_like(i0)
        return tf.stack([1.0 - i0, z, i0, z], axis=-1)

    def trace(self, days):
        """Share of infectious people at the end of each day, [days, regions]."""
        out = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        state, beta = self.start(), self.beta
        h = 1.0 / self.substeps
        for d in tf.range(days):
            for _ in range(self.substeps):
                state = rk4(state, beta, h)
            out = out.write(d, state[:, 2])
        return out.stack()


def observed(days):
    truth = Rollout(REGIONS)
    truth.raw.assign(np.log(np.expm1(TRUE_BETA)))
    run = tf.function(truth.trace)
    rng = np.random.default_rng(5)
    curve = run(tf.constant(days)).numpy()
    return (curve * rng.lognormal(0, 0.03, curve.shape)).astype("float32")


def main():
    days = 60
    data = tf.constant(observed(days))
    model = Rollout(REGIONS)
    opt = tf.keras.optimizers.Adam(0.05)
    opt.build(model.trainable_variables)

    @tf.function(jit_compile=True)
    def step(target):
        with tf.GradientTape() as tape:
            curve = model.trace(tf.shape(target)[0])
            loss = tf.reduce_mean(tf.math.squared_difference(tf.sqrt(curve + 1e-6), tf.sqrt(target + 1e-6)))
        g = tape.gradient(loss, model.trainable_variables)
        opt.apply_gradients(zip(g, model.trainable_variables))
        return loss

    for it in range(60):
        loss = step(data)
        if it % 20 == 0:
            print(f"iter {it:3d} loss {loss.numpy():.6f}")
    print("beta fitted:", model.beta.numpy().round(3))
    print("beta true:  ", TRUE_BETA)


if __name__ == "__main__":
    main()
