"""Kernel density of seismic events on a grid, with TensorFlow's automatic clustering on the CPU."""
import os

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit --tf_xla_min_cluster_size=2"

import time

import numpy as np
import tensorflow as tf

GRID = 40
BANDWIDTH = 0.08


def catalogue(n=800, seed=0):
    """Epicentres (scaled to the unit square) along two faults, and magnitudes."""
    rng = np.random.default_rng(seed)
    t = rng.random(n)
    fault = rng.random(n) < 0.6
    x = np.where(fault, t, 0.2 + 0.5 * t)
    y = np.where(fault, 0.2 + 0.6 * t, 0.9 - 0.7 * t)
    xy = np.stack([x, y], 1) + rng.normal(0, 0.03, (n, 2))
    mag = 2.0 + rng.exponential(0.45, n)
    return xy.astype("float32"), mag.astype("float32")


def grid_points():
    a = np.linspace(0, 1, GRID, dtype="float32")
    return np.stack(np.meshgrid(a, a), -1).reshape(-1, 2)


@tf.function
def density(points, events, weight):
    d2 = tf.reduce_sum(tf.square(points[:, None, :] - events[None, :, :]), axis=-1)
    k = tf.exp(-0.5 * d2 / BANDWIDTH ** 2) / (2.0 * np.pi * BANDWIDTH ** 2)
    return tf.reduce_sum(k * weight[None, :], axis=1) / tf.reduce_sum(weight)


@tf.function
def log_score(points, events, weight):
    p = density(points, events, weight)
    return tf.reduce_mean(tf.math.log(tf.maximum(p, 1e-6)))


def timed(fn, *args, repeat=5):
    fn(*args)
    t = time.perf_counter()
    for _ in range(repeat):
        out = fn(*args)
    return out, (time.perf_counter() - t) / repeat * 1e3


def main():
    xy, mag = catalogue()
    train, test = xy[:600], xy[600:]
    weight = tf.constant(10 ** (0.3 * (mag[:600] - 2.0)))
    pts = tf.constant(grid_points())

    plain, ms_plain = timed(density.python_function, pts, tf.constant(train), weight)
    fused, ms_fused = timed(density, pts, tf.constant(train), weight)
    gap = float(tf.reduce_max(tf.abs(plain - fused)))
    print(f"eager {ms_plain:.1f} ms, graph {ms_fused:.1f} ms, max error {gap:.2e}")
    assert gap < 1e-3 * float(tf.reduce_max(plain))

    mass = float(tf.reduce_sum(fused)) / (GRID - 1) ** 2
    print(f"probability mass on the grid: {mass:.3f}")
    for bw_events in (100, 300, 600):
        s = log_score(tf.constant(test), tf.constant(train[:bw_events]), weight[:bw_events])
        print(f"  {bw_events:4d} events: mean log score {float(s):.3f}")
    peak = pts[int(tf.argmax(fused))].numpy()
    print("most active cell:", peak.round(2))


if __name__ == "__main__":
    main()
