"""Variational auto-encoder of galaxy profiles with a dropout ensemble for the redshift head.

The training step is compiled. Randomness enters through tensors that are drawn outside of it.
"""
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

BINS = 32
LATENT = 4
PASSES = 20


class Batch(NamedTuple):
    profile: tf.Tensor
    redshift: tf.Tensor


def survey(n, seed):
    rng = np.random.default_rng(seed)
    r = np.linspace(0.05, 3, BINS)
    z = rng.gamma(3, 0.2, n)
    size = rng.uniform(0.4, 1.2, n) / (1 + 0.5 * z)
    idx = rng.uniform(0.8, 3.5, n)
    p = np.exp(-((r[None] / size[:, None]) ** (1 / idx[:, None]))) / (1 + z[:, None]) ** 2
    p *= 1 + rng.normal(0, 0.02, p.shape)
    p[rng.random(n) < 0.03] = np.nan  # cosmic-ray hits
    return p.astype("float32"), z.astype("float32")


def clean(p, z):
    bad = ~np.isfinite(p).all(1)
    print(f"dropped {bad.sum()} profiles with nan")
    return np.log10(np.clip(p[~bad], 1e-5, None)), z[~bad]


class VAE(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.enc = tf.keras.Sequential([layers.Dense(48, activation="gelu"), layers.Dense(2 * LATENT)])
        self.dec = tf.keras.Sequential([layers.Dense(48, activation="gelu"), layers.Dense(BINS)])
        self.z_body = layers.Dense(32, activation="relu")
        self.z_out = layers.Dense(1)

    def redshift(self, code, keep):
        h = self.z_body(code) * keep / 0.8
        return self.z_out(h)[:, 0]

    def call(self, p, eps, keep):
        mean, logvar = tf.split(self.enc(p), 2, axis=-1)
        code = mean + tf.exp(0.5 * logvar) * eps
        return self.dec(code), self.redshift(code, keep), mean, logvar


def losses(model, b, eps, keep, beta):
    rec, z, mean, logvar = model(b.profile, eps=eps, keep=keep)
    rec_err = tf.reduce_sum(tf.square(rec - b.profile), -1)
    kl = 0.5 * tf.reduce_sum(tf.exp(logvar) + mean ** 2 - 1.0 - logvar, -1)
    z_err = tf.square(z - b.redshift)
    return tf.reduce_mean(rec_err), tf.reduce_mean(kl), tf.reduce_mean(rec_err + beta * kl + 5.0 * z_err)


def main():
    tf.keras.utils.set_random_seed(99)
    x, z = clean(*survey(2600, 0))
    model = VAE()
    opt = tf.keras.optimizers.Adam(2e-3)
    gen = tf.random.Generator.from_seed(5)

    def noise(n):
        keep = tf.cast(gen.uniform([n, 32]) < 0.8, tf.float32)
        return gen.normal([n, LATENT]), keep

    model(x[:2], eps=noise(2)[0], keep=noise(2)[1])
    opt.build(model.trainable_variables)

    @tf.function(jit_compile=True)
    def step(b, eps, keep, beta):
        with tf.GradientTape() as tape:
            rec, kl, total = losses(model, b, eps, keep, beta)
        opt.apply_gradients(zip(tape.gradient(total, model.trainable_variables), model.trainable_variables))
        return rec, kl, total

    ds = tf.data.Dataset.from_tensor_slices((x, z)).shuffle(3000, seed=2).batch(100, drop_remainder=True)
    best, stale = np.inf, 0
    for epoch in range(30):
        beta = tf.constant(min(1.0, epoch / 10) * 0.05)
        rows = [step(Batch(*b), *noise(100), beta) for b in ds]
        rec, kl, total = np.mean(np.array(rows, "float32"), axis=0)
        if epoch % 5 == 0:
            print(f"epoch {epoch:2d} rec error {rec:.3f} kl {kl:.3f}")
        best, stale = (total, 0) if total < best * 0.999 else (best, stale + 1)
        if epoch > 12 and stale >= 4:
            print(f"early stop in epoch {epoch}: no progress")
            break

    tx, tz = clean(*survey(300, 1))
    passes = np.stack([model(tx, eps=noise(len(tx))[0] * 0, keep=noise(len(tx))[1])[1].numpy() for _ in range(PASSES)])
    mean, spread = passes.mean(0), passes.std(0)
    print(f"passes differ by {spread.mean():.4f} on average (dropout on)")
    print(f"redshift rmse {np.sqrt(np.mean((mean - tz) ** 2)):.3f}, spread of truth {tz.std():.3f}")


if __name__ == "__main__":
    main()
