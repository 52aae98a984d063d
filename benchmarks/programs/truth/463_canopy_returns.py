"""Lidar canopy heights.  Dense plots are summarised by layers, sparse ones by one value."""
import numpy as np
import tensorflow as tf

LAYERS = 6
RETURNS = 48


def plots(n=5, seed=64):
    rng = np.random.default_rng(seed)
    for _ in range(n):
        height = rng.uniform(2, 30)
        z = np.abs(rng.normal(height, height / 4, RETURNS))
        z[rng.random(RETURNS) < rng.uniform(0.1, 0.9)] = 0.0
        yield z.astype(np.float32)


def layered(z):
    ordered = tf.sort(z)
    return tf.reduce_mean(tf.reshape(ordered, [LAYERS, RETURNS // LAYERS]), axis=1)


def single(z):
    return tf.reduce_mean(z)


def profile(z, limit=24):
    hits = tf.reduce_sum(tf.cast(z > 0.5, tf.int32))
    return tf.cond(hits > limit, lambda: layered(z), lambda: single(z))


class Biomass(tf.Module):
    def __init__(self):
        super().__init__()
        self.power = tf.Variable(1.3)
        self.scale = tf.Variable(0.8)

    @tf.function(jit_compile=True)
    def __call__(self, z):
        p = profile(z)
        return self.scale * tf.reduce_mean(tf.pow(p + 0.1, self.power))


if __name__ == "__main__":
    model = Biomass()
    for k, z in enumerate(plots()):
        b = model(tf.constant(z))
        print(f"plot {k}: {int((z > 0.5).sum()):2d} hits, biomass {float(b):8.2f} t/ha")
