"""Physics informed network for u_t = alpha * u_xx on [0, 1] x [0, 1]."""
import argparse

import numpy as np
import tensorflow as tf

p = argparse.ArgumentParser()
p.add_argument("--alpha", type=float, default=0.1)
p.add_argument("--n-col", type=int, default=50)
p.add_argument("--n-init", type=int, default=20)
p.add_argument("--steps", type=int, default=3)
args = p.parse_args([])


class Sampler:
    def __init__(self, seed=0):
        self.rng = tf.random.Generator.from_seed(seed)

    def interior(self, n):
        x = self.rng.uniform((n, 1))
        t = self.rng.uniform((n,))
        return x, t

    def initial(self, n):
        x = self.rng.uniform((n, 1))
        return x, tf.zeros_like(x), tf.sin(np.pi * x)


mlp = tf.keras.Sequential([
    tf.keras.Input((2,)),
    tf.keras.layers.Dense(16, activation="tanh"),
    tf.keras.layers.Dense(16, activation="tanh"),
    tf.keras.layers.Dense(1),
])


def u(x, t):
    return mlp(tf.concat([x, t], axis=1))


def residual(x, t):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([x, t])
        with tf.GradientTape() as inner:
            inner.watch(x)
            val = u(x, t)
        u_x = inner.gradient(val, x)
    return outer.gradient(val, t) - args.alpha * outer.gradient(u_x, x)


sampler = Sampler()
opt = tf.keras.optimizers.Adam(1e-3)
for step in range(args.steps):
    x0, t0, u0 = sampler.initial(args.n_init)
    xc, tc = sampler.interior(args.n_col)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(u(x0, t0) - u0)) + tf.reduce_mean(tf.square(residual(xc, tc)))
    opt.apply_gradients(zip(tape.gradient(loss, mlp.trainable_variables), mlp.trainable_variables))
    print(step, float(loss))
