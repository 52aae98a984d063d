"""Linearised planar quadrotor, zero order hold discretisation."""
import numpy as np
import tensorflow as tf

GRAVITY = 9.81


def continuous(mass, inertia):
    # state: x, z, theta, vx, vz, omega      input: thrust deviation, torque
    a = np.zeros((6, 6))
    a[0, 3] = a[1, 4] = a[2, 5] = 1.0
    a[3, 2] = -GRAVITY
    b = np.zeros((6, 2))
    b[4, 0] = 1.0 / mass
    b[5, 1] = 1.0 / inertia
    return a, b


def discretise(a, b, dt, terms=12):
    n, m = b.shape
    big = np.zeros((n + m, n + m))
    big[:n, :n], big[:n, n:] = a * dt, b * dt
    e, term = np.eye(n + m), np.eye(n + m)
    for k in range(1, terms):
        term = term @ big / k
        e = e + term
    return e[:n, :n], e[:n, n:]


class Plant:
    def __init__(self, mass=0.8, inertia=0.01, dt=0.05):
        ad, bd = discretise(*continuous(mass, inertia), dt)
        self.a = tf.constant(ad)
        self.b = tf.constant(bd)
        self.n_state, self.n_input = bd.shape

    def step(self, x, u):
        return tf.matmul(x, self.a, transpose_b=True) + tf.matmul(u, self.b, transpose_b=True)
