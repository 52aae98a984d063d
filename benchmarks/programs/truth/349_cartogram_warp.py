"""Regrid population cartograms: bilinear sampling with a learned displacement field."""
import numpy as np
import tensorflow as tf

SPEC = {"side": 20, "halo": 2, "regions": 3, "iters": 8, "rate": 0.3}


def population(spec, seed):
    rng = np.random.default_rng(seed)
    u, v = np.meshgrid(np.linspace(-1, 1, spec["side"]), np.linspace(-1, 1, spec["side"]))
    maps = []
    for _ in range(spec["regions"]):
        cu, cv = rng.uniform(-0.6, 0.6, size=2)
        maps.append(0.2 + np.exp(-8 * ((u - cu) ** 2 + (v - cv) ** 2)))
    return np.stack(maps).astype("float32")


class Warp(tf.Module):
    def __init__(self, spec):
        super().__init__()
        self.halo = spec["halo"]
        self.disp = tf.Variable(tf.zeros([spec["regions"], spec["side"], spec["side"], 2]))
        axis = tf.range(spec["side"], dtype=tf.float32)
        self.base = tf.stack(tf.meshgrid(axis, axis, indexing="ij"), axis=-1)

    def sample(self, density):
        ring = [[0, 0], [self.halo, self.halo], [self.halo, self.halo], [0, 0]]
        padded = tf.pad(density, ring, mode="REFLECT")
        where = tf.clip_by_value(self.base + self.disp, -1.0, self.base.shape[0] - 0.01)
        where = where + float(self.halo)
        low = tf.cast(tf.floor(where), tf.int32)
        frac = where - tf.cast(low, tf.float32)
        total = 0.0
        for di in (0, 1):
            for dj in (0, 1):
                at = low + tf.constant([di, dj])
                value = tf.gather_nd(padded[..., 0], at, batch_dims=1)
                wi = frac[..., 0] if di else 1 - frac[..., 0]
                wj = frac[..., 1] if dj else 1 - frac[..., 1]
                total += wi * wj * value
        return total

    def loss(self, density):
        warped = self.sample(density)
        smooth = tf.reduce_mean(tf.image.total_variation(self.disp))
        return tf.reduce_mean(tf.math.reduce_variance(warped, axis=[1, 2])) + 1e-4 * smooth


def main():
    spec = SPEC
    density = tf.constant(population(spec, seed=33))
    print("density", density.shape, "halo", spec["halo"])
    warp = Warp(spec)
    opt = tf.keras.optimizers.Adam(spec["rate"])
    for i in range(spec["iters"]):
        with tf.GradientTape() as tape:
            loss = warp.loss(density)
        opt.apply_gradients([(tape.gradient(loss, warp.disp), warp.disp)])
        print("iteration", i, "loss", round(float(loss), 5))


if __name__ == "__main__":
    main()
