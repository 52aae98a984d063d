"""Despeckle SAR scenes patch by patch and put the patches back together with a taper."""
import dataclasses

import numpy as np
import tensorflow as tf


@dataclasses.dataclass
class Grid:
    side: int = 60
    patch: int = 16
    stride: int = 12

    @property
    def per_side(self):
        return self.side // self.stride

    @property
    def corners(self):
        steps = np.arange(self.per_side) * self.stride
        return [(r, c) for r in steps for c in steps]


def speckle(shape, looks, rng):
    return rng.gamma(looks, 1.0 / looks, shape).astype("float32")


def scenes(count, grid, rng):
    yy, xx = np.mgrid[0:grid.side, 0:grid.side] / grid.side
    clean = np.stack([1.0 + np.sin(6 * xx + p) * np.cos(4 * yy - p)
                      for p in rng.uniform(0, 3, count)])
    clean = clean[..., None].astype("float32")
    return clean, clean * speckle(clean.shape, 4, rng)


class Despeckler(tf.keras.Model):
    def __init__(self, width=8):
        super().__init__()
        self.inp = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")
        self.mid = tf.keras.layers.Conv2D(width, 3, padding="same", activation="relu")
        self.out = tf.keras.layers.Conv2D(1, 3, padding="same")

    def call(self, x):
        log = tf.math.log(x + 1e-3)
        return x * tf.exp(self.out(self.mid(self.inp(log))))


def cut(images, grid):
    p = tf.image.extract_patches(
        images,
        sizes=[1, grid.patch, grid.patch, 1],
        strides=[1, grid.stride, grid.stride, 1],
        rates=[1, 1, 1, 1],
        padding="VALID",
    )
    return tf.reshape(p, [-1, grid.patch, grid.patch, 1])


def taper(grid):
    w = np.hanning(grid.patch + 2)[1:-1]
    return tf.constant(np.outer(w, w)[..., None], tf.float32)


def assemble(patches, grid, count):
    n = grid.per_side
    cells = tf.reshape(patches, [count, n * n, grid.patch, grid.patch, 1])
    window = taper(grid)
    total = np.zeros((count, grid.side, grid.side, 1), "float32")
    weight = np.full_like(total, 1e-6)
    for k, (r, c) in enumerate(grid.corners):
        total[:, r:r + grid.patch, c:c + grid.patch] += (cells[:, k] * window).numpy()
        weight[:, r:r + grid.patch, c:c + grid.patch] += window.numpy()
    return total / weight


def main():
    rng = np.random.default_rng(3)
    grid = Grid()
    clean, noisy = scenes(6, grid, rng)
    model = Despeckler()
    model.compile(tf.keras.optimizers.Adam(2e-3), "mae")
    x, y = cut(noisy[:4], grid), cut(clean[:4], grid)
    hist = model.fit(x, y, batch_size=16, epochs=2, verbose=0)
    print("training patches", x.shape[0], "mae", round(hist.history["loss"][-1], 4))

    restored = assemble(model(cut(noisy[4:], grid)), grid, 2)
    inner = slice(4, -8)
    err = np.abs(restored - clean[4:])[:, inner, inner].mean()
    print("mosaic", restored.shape, "mae inside", round(float(err), 4))


if __name__ == "__main__":
    main()
