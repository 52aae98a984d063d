import numpy as np
import tensorflow as tf

tf.random.set_seed(116)
SIGMA, RHO, BETA, DT = 10.0, 28.0, 8.0 / 3.0, 0.01


def lorenz(p):
    x, y, z = p[0], p[1], p[2]
    return tf.stack([SIGMA * (y - x), x * (RHO - z) - y, x * y - BETA * z])


def rk4(p):
    k1 = lorenz(p)
    k2 = lorenz(p + DT / 2 * k1)
    k3 = lorenz(p + DT / 2 * k2)
    k4 = lorenz(p + DT * k3)
    return p + DT / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@tf.function
def simulate(start, steps):
    path = start[tf.newaxis]
    turn = tf.constant(0)
    invariants = (turn.shape, path.shape)

    def extend(turn, path):
        nxt = rk4(path[-1])
        return turn + 1, tf.concat([path, nxt[tf.newaxis]], axis=0)

    _, path = tf.while_loop(
        lambda turn, path: turn < steps,
        extend,
        (turn, path),
        shape_invariants=invariants,
    )
    return path


def divergence(a, b):
    return np.linalg.norm(a - b, axis=1)


steps = tf.constant(40)
one = simulate(tf.constant([1.0, 1.0, 1.0]), steps)
two = simulate(tf.constant([1.0, 1.0, 1.001]), steps)
print("final distance", divergence(one.numpy(), two.numpy())[-1])
