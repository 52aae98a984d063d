import numpy as np
import tensorflow as tf


def transition(states, dt):
    f = np.eye(states, dtype="float32")
    for i in range(states // 2):
        f[i, i + states // 2] = dt
    return tf.constant(f)


def predict(mean, cov, f, q):
    mean = tf.matmul(f, mean)
    cov = f @ cov @ tf.transpose(f) + q
    return mean, cov


def update(mean, cov, h, z, r):
    s = h @ cov @ tf.transpose(h) + r
    gain = cov @ h @ tf.linalg.inv(s)
    mean = mean + gain @ (z - h @ mean)
    return mean, (tf.eye(4) - gain @ h) @ cov


f = transition(4, 0.1)
h = tf.constant(np.eye(2, 4, dtype="float32"))
mean, cov = tf.zeros((4, 1)), tf.eye(4)
for step in range(5):
    mean, cov = predict(mean, cov, f, 0.01 * tf.eye(4))
    mean, cov = update(mean, cov, h, tf.random.normal((2, 1)), 0.1 * tf.eye(2))
print(mean)
