"""Normalising flow on joint angles of a robot arm, with squashed support."""
import argparse

import numpy as np
import tensorflow as tf


def joint_angles(n, seed, limit):
    rng = np.random.default_rng(seed)
    raw = 2.0 * rng.normal(size=(n, 4))
    return np.clip(raw, -limit, limit).astype("float32")


class Coupling(tf.Module):
    def __init__(self, flip, width=16, seed=0):
        super().__init__()
        rng = np.random.default_rng(seed)
        self.flip = flip
        self.w1 = tf.Variable((rng.normal(size=(2, width)) * 0.2).astype("float32"))
        self.w2 = tf.Variable((rng.normal(size=(width, 4)) * 0.05).astype("float32"))

    def __call__(self, z):
        a, b = tf.split(z, 2, axis=-1)
        if self.flip:
            a, b = b, a
        shift, log_scale = tf.split(tf.nn.tanh(a @ self.w1) @ self.w2, 2, axis=-1)
        log_scale = tf.tanh(log_scale)
        b = b * tf.exp(log_scale) + shift
        parts = [b, a] if self.flip else [a, b]
        return tf.concat(parts, axis=-1), tf.reduce_sum(log_scale, axis=-1)


class JointFlow(tf.Module):
    def __init__(self, limit, layers):
        super().__init__()
        self.limit = limit
        self.layers = [Coupling(i % 2 == 1, seed=i) for i in range(layers)]

    def log_prob(self, angle):
        u = angle / self.limit
        z = tf.atanh(u)
        log_det = -tf.reduce_sum(tf.math.log1p(-u * u), axis=-1)
        for layer in self.layers:
            z, ld = layer(z)
            log_det += ld
        base = -0.5 * tf.reduce_sum(z * z, axis=-1) - 2 * np.log(2 * np.pi)
        return base + log_det - 4 * np.log(self.limit)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--limit", type=float, default=np.pi)
    p.add_argument("--layers", type=int, default=4)
    p.add_argument("--rate", type=float, default=1e-2)
    args = p.parse_args()
    data = joint_angles(256, seed=6, limit=args.limit)
    print("angles", data.shape, "range", data.min(), data.max())
    flow = JointFlow(args.limit, args.layers)
    opt = tf.keras.optimizers.Adam(args.rate)
    for epoch in range(3):
        for batch in np.split(data, 4):
            with tf.GradientTape() as tape:
                nll = -tf.reduce_mean(flow.log_prob(batch))
                nll = tf.debugging.check_numerics(nll, "negative log likelihood")
            grads = tape.gradient(nll, flow.trainable_variables)
            opt.apply_gradients(zip(grads, flow.trainable_variables))
        print("epoch", epoch, "nll", float(nll))


if __name__ == "__main__":
    main()
