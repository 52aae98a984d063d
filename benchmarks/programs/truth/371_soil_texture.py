"""Soil texture from micrographs; a random mixture of blurs stands in for a lens out of focus."""
from dataclasses import dataclass

import numpy as np
import tensorflow as tf


@dataclass
class Lens:
    size: int = 5
    sigmas: tuple = (0.8, 1.2, 2.0)
    chance: float = 0.5
    stacked: bool = False

    def kernels(self):
        r = np.arange(self.size) - self.size // 2
        g = np.exp(-(r ** 2)[:, None] / (2 * np.square(self.sigmas)))
        k = g[:, None] * g[None, :]
        return (k / k.sum((0, 1))).astype("float32")[:, :, None, :]


class Texture(tf.Module):
    def __init__(self, lens, classes=4, seed=1):
        super().__init__()
        g = tf.random.Generator.from_seed(seed)
        self.lens = lens
        self.k = tf.constant(lens.kernels())
        self.conv = tf.Variable(0.2 * g.normal([3, 3, 1, 8]))
        self.out = tf.Variable(0.2 * g.normal([16, classes]))

    def defocus(self, x):
        blurs = tf.nn.conv2d(x, self.k, 1, "SAME")
        return tf.reduce_mean(blurs, axis=-1, keepdims=self.lens.stacked)

    def logits(self, x):
        h = tf.nn.relu(tf.nn.conv2d(x, self.conv, 1, "SAME"))
        mean, var = tf.nn.moments(h, axes=[1, 2])
        return tf.concat([mean, var], 1) @ self.out

    @tf.function(jit_compile=True)
    def train(self, x, y, rate):
        with tf.GradientTape() as tape:
            if tf.random.uniform([]) < self.lens.chance:
                seen = self.defocus(x)
            else:
                seen = tf.identity(x)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=self.logits(seen)))
        variables = [self.conv, self.out]
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(rate * g)
        return loss


def micrographs(count, side, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, count)
    x = rng.normal(size=(count, side, side)) * (0.5 + y[:, None, None])
    return x[..., None].astype("float32"), y.astype("int32")


def main():
    tf.random.set_seed(3)
    x, y = micrographs(160, 28, seed=0)
    net = Texture(Lens())
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(32, drop_remainder=True).repeat(3)
    losses = [float(net.train(a, b, tf.constant(0.05))) for a, b in ds]
    print("loss", np.round(losses[::5], 3).tolist())


if __name__ == "__main__":
    main()
