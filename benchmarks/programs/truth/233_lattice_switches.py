#!/usr/bin/env python
"""Ising lattice, checkerboard Metropolis. All compilers on."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=true"

import numpy as np
import tensorflow as tf

tf.config.optimizer.set_jit("autoclustering")
tf.config.optimizer.set_jit("autoclustering")

SIDE = 24
yy, xx = np.indices((SIDE, SIDE))
black = tf.constant((yy + xx) % 2 == 0)


def neighbours(s):
    return sum(tf.roll(s, shift, axis) for shift in (-1, 1) for axis in (0, 1))


@tf.function(jit_compile=True)
def sweep(s, u, beta):
    for k, colour in enumerate((black, tf.logical_not(black))):
        accept = u[k] < tf.exp(-2.0 * beta * s * neighbours(s))
        s = tf.where(tf.logical_and(accept, colour), -s, s)
    return s


@tf.function
def energy(s):
    return -tf.reduce_mean(s * neighbours(s)) / 2


def sweep_numpy(s, u, beta):
    s = s.copy()
    for k, colour in enumerate((black.numpy(), ~black.numpy())):
        n = sum(np.roll(s, shift, axis) for shift in (-1, 1) for axis in (0, 1))
        flip = (u[k] < np.exp(-2.0 * beta * s * n)) & colour
        s[flip] *= -1
    return s


rng = np.random.default_rng(4)
for beta in (0.2, 0.6):
    s = np.ones((SIDE, SIDE), "float32")
    check = s.copy()
    for _ in range(60):
        u = rng.random((2, SIDE, SIDE), dtype="float32")
        s = sweep(s, u, tf.constant(beta, tf.float32))
        check = sweep_numpy(check, u, np.float32(beta))
    print(f"beta {beta}: energy {float(energy(s)):.3f}, magnetisation {float(tf.reduce_mean(s)):.3f},"
          f" sites unlike NumPy: {int((s.numpy() != check).sum())}")
