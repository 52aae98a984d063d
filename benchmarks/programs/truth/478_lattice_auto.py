import os

os.environ["TF_XLA_FLAGS"] = "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"

import numpy as np
import tensorflow as tf

# Ising-like relaxation on a rank-5 lattice; also asked for an empty ensemble, which the
# scheduler sends at the end of the queue.

SHAPE = (4, 5, 3, 2)


def neighbours(s):
    total = tf.zeros_like(s)
    for axis in range(1, 5):
        total += tf.roll(s, 1, axis) + tf.roll(s, -1, axis)
    return total


@tf.function(input_signature=[tf.TensorSpec((None,) + SHAPE, tf.float32), tf.TensorSpec([], tf.float32)])
def relax(spins, beta):
    for _ in range(8):
        field = neighbours(spins)
        spins = tf.tanh(beta * field + 0.01)
    return spins, tf.reduce_sum(spins * neighbours(spins), axis=[1, 2, 3, 4])


def reference(s, beta):
    def nb(s):
        return sum(np.roll(s, d, a) for a in range(1, 5) for d in (1, -1))
    for _ in range(8):
        s = np.tanh(beta * nb(s) + 0.01)
    return s, (s * nb(s)).sum((1, 2, 3, 4))


if __name__ == "__main__":
    rng = np.random.default_rng(4)
    for members in (6, 1, 0):
        start = rng.choice([-1.0, 1.0], size=(members,) + SHAPE).astype("float32")
        s, e = relax(tf.constant(start), tf.constant(0.05))
        rs, re = reference(start, 0.05)
        assert s.shape == rs.shape and np.allclose(s, rs, atol=1e-4) and np.allclose(e, re, atol=1e-2)
        print(members, "members, lattice", tuple(s.shape), "energies", np.round(e.numpy(), 3))
