"""Track a drifting temperature with a two-state Kalman filter."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

dt = 0.1
F = tf.constant([[1.0, dt], [0.0, 1.0]])
Q = tf.constant(np.diag([1e-4, 1e-3]).astype(np.float32))
H = tf.constant([1.0, 0.0])
R = tf.constant([[0.05]])
I2 = tf.eye(2)


def predict(x, P):
    return F @ x, F @ P @ tf.transpose(F) + Q


def update(x, P, z):
    innovation = z - H @ x
    S = H @ P @ tf.transpose(H) + R
    K = P @ tf.transpose(H) @ tf.linalg.inv(S)
    return x + K @ innovation, (I2 - K @ H) @ P


def step(carry, z):
    x, P = carry
    x, P = predict(x, P)
    return update(x, P, z)


def filter_series(zs):
    start = (tf.zeros((2, 1)), tf.eye(2))
    return tf.scan(step, zs, initializer=start)


if __name__ == "__main__":
    rng = np.random.RandomState(0)
    t = np.arange(80) * dt
    truth = 20 + 2 * np.sin(0.5 * t)
    measured = (truth + 0.2 * rng.randn(80)).astype(np.float32).reshape(-1, 1, 1)
    xs, Ps = filter_series(tf.constant(measured))
    estimate = xs[:, 0, 0].numpy()
    print("rmse raw      %.3f" % np.sqrt(np.mean((measured.ravel() - truth) ** 2)))
    print("rmse filtered %.3f" % np.sqrt(np.mean((estimate[10:] - truth[10:]) ** 2)))
