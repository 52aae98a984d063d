"""Casting simulation: coarse or fine heat solver chosen by a residual, compiled."""
import numpy as np
import tensorflow as tf

GRID = 32
CONFIG = {"coarse_factor": 2, "tol": 0.05, "alpha": 0.2, "log_every": 1}


def mould(rng):
    t = np.full((GRID, GRID), 20.0, "float32")
    t[8:24, 8:24] = 1450.0 + 10 * rng.normal(size=(16, 16))
    return t


def laplace(field):
    k = tf.constant([[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]])[:, :, None, None]
    padded = tf.pad(field, [[1, 1], [1, 1]], mode="SYMMETRIC")
    return tf.nn.conv2d(padded[None, :, :, None], k, 1, "VALID")[0, :, :, 0]


def fine_step(field, alpha):
    return field + alpha * laplace(field)


def coarse_step(field, alpha, factor):
    small = tf.nn.avg_pool2d(field[None, :, :, None], factor, factor, "VALID")[0, :, :, 0]
    small = small + alpha / factor ** 2 * laplace(small)
    return tf.image.resize(small[:, :, None], [GRID, GRID], method="nearest")


class Caster(tf.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.updates = tf.Variable(0, dtype=tf.int64)

    def residual(self, field):
        return tf.reduce_max(tf.abs(laplace(field))) / tf.reduce_max(field)

    @tf.function(jit_compile=True, input_signature=[tf.TensorSpec([GRID, GRID])])
    def advance(self, field):
        calm = self.residual(field) < self.cfg["tol"]
        alpha = self.cfg["alpha"]
        field = tf.cond(
            calm,
            lambda: coarse_step(field, alpha, self.cfg["coarse_factor"]),
            lambda: fine_step(field, alpha))
        return field

    def run(self, field, steps):
        for i in range(steps):
            field = self.advance(field)
            self.updates.assign_add(1)
            if i % self.cfg["log_every"] == 0:
                print(f"t={i} max {float(tf.reduce_max(field)):.1f} C on {field.shape}")
        return field


def main():
    rng = np.random.default_rng(1450)
    start = tf.constant(mould(rng))
    print("grid", start.shape)
    final = Caster(CONFIG).run(start, 4)
    print("solid fraction", float(tf.reduce_mean(tf.cast(final < 1400.0, tf.float32))))


if __name__ == "__main__":
    main()
