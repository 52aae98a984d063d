import numpy as np


def spins(count, side, seed):
    rng = np.random.default_rng(seed)
    return rng.choice([-1.0, 1.0], size=(count, side, side)).astype("float32")


def make_energy(tf, coupling, field):
    def energy(s):
        right = tf.roll(s, -1, axis=2)
        down = tf.roll(s, -1, axis=1)
        bonds = tf.reduce_sum(s * (right + down), axis=[1, 2])
        return -coupling * bonds - field * tf.reduce_sum(s, axis=[1, 2])
    return energy
