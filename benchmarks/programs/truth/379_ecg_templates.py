"""Heartbeats against a bank of templates, scored batch by batch in eager mode."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass
class Bank:
    templates: int = 5
    taps: int = 21
    stride: int = 2

    def filters(self):
        rng = np.random.default_rng(99)
        t = np.linspace(-1, 1, self.taps)
        shapes = [np.exp(-((t - m) ** 2) * s) for m, s in zip(rng.uniform(-0.5, 0.5, self.templates),
                                                              rng.uniform(4, 20, self.templates))]
        k = np.stack(shapes, -1)
        return (k - k.mean(0)).astype("float32")[:, None, :]


def stored(count, samples, seed):
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, samples)
    for i in range(count):
        beat = np.exp(-((t - 0.5) ** 2) * rng.uniform(80, 300)) + 0.05 * rng.normal(size=samples)
        yield beat.astype("float32")[None, :], i % 3


def reader(count=65, samples=180, batch=16):
    sig = (tf.TensorSpec([1, samples], tf.float32), tf.TensorSpec([], tf.int32))
    ds = tf.data.Dataset.from_generator(lambda: stored(count, samples, 7), output_signature=sig)
    return ds.batch(batch)


def tidy(lead):
    lead = tf.squeeze(lead)
    lead -= tf.reduce_mean(lead, axis=-1, keepdims=True)
    return lead / (tf.math.reduce_std(lead, axis=-1, keepdims=True) + 1e-6)


class Matcher:
    def __init__(self, bank):
        self.bank = bank
        self.k = tf.constant(bank.filters())
        self.lag = []

    def __call__(self, lead):
        r = tf.nn.conv1d(lead[..., None], self.k, self.bank.stride, "SAME")
        self.lag.append(tf.argmax(tf.reduce_max(r, axis=2), axis=1))
        return tf.reduce_max(r, axis=1)


def main():
    match = Matcher(Bank())
    best = []
    for lead, _ in reader():
        best.append(tf.argmax(match(tidy(lead)), axis=1))
        print("scored", int(best[-1].shape[0]), "beats")
    best = tf.concat(best, 0)
    print("beats", best.shape[0], "by template", np.bincount(best.numpy(), minlength=5).tolist())


if __name__ == "__main__":
    main()
