"""Whiten multichannel seismograms: tries the compiled kernel first, and takes the plain graph where there is none."""
import logging

import numpy as np
import tensorflow as tf

logging.basicConfig(format="%(levelname)s %(name)s: %(message)s", level=logging.INFO)
log = logging.getLogger("whitening")


def covariance(x):
    x = x - tf.reduce_mean(x, axis=1, keepdims=True)
    return tf.matmul(x, x, transpose_b=True) / tf.cast(tf.shape(x)[1], x.dtype)


def precision(x):
    """The window weighted by its inverse covariance, through LU factors."""
    c = covariance(x) + 1e-3 * tf.eye(x.shape[0])
    lu, perm = tf.linalg.lu(c)
    return tf.linalg.lu_solve(lu, perm, x)


def whitened(x):
    c = covariance(x) + 1e-3 * tf.eye(x.shape[0])
    values, vectors = tf.linalg.eigh(c)
    scale = tf.linalg.diag(tf.math.rsqrt(values))
    return tf.matmul(tf.matmul(vectors, scale), tf.matmul(vectors, x, transpose_a=True))


class Runner:
    """Calls `fn` compiled; remembers when that is not possible."""

    def __init__(self, fn):
        self.name = fn.__name__
        self.fast = tf.function(fn, jit_compile=True)
        self.plain = tf.function(fn)
        self.compiled = True

    def __call__(self, x):
        if self.compiled:
            try:
                return self.fast(x)
            except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError):
                log.exception("%s does not compile, using the plain graph from here on", self.name)
                self.compiled = False
        return self.plain(x)


def record(channels, length, seed):
    rng = np.random.default_rng(seed)
    mix = rng.normal(size=(channels, channels))
    source = rng.laplace(size=(channels, length))
    return tf.constant(mix @ source, tf.float32)


def windows(x, size):
    for start in range(0, x.shape[1] - size + 1, size):
        yield x[:, start:start + size]


def leak(a, b):
    """Largest off-diagonal element of the covariance of two records."""
    a, b = (v - tf.reduce_mean(v, axis=1, keepdims=True) for v in (a, b))
    c = tf.matmul(a, b, transpose_b=True) / a.shape[1]
    return float(tf.reduce_max(tf.abs(c - tf.linalg.diag(tf.linalg.diag_part(c)))))


def main():
    x = record(channels=4, length=256, seed=5)
    solve, whiten = runners = Runner(precision), Runner(whitened)
    for k, window in enumerate(windows(x, 64)):
        w = whiten(window)
        print(f"window {k}: raw {leak(window, window):.3f} whitened {leak(w, w):.4f} "
              f"precision against raw {leak(solve(window), window):.4f}")
    for r in runners:
        log.info("%s ran %s", r.name, "compiled" if r.compiled else "as a plain graph")
    assert whiten.compiled and not solve.compiled


if __name__ == "__main__":
    main()
