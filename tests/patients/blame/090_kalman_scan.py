import numpy as np
import tensorflow as tf

tf.random.set_seed(121)


class Kalman:
    def __init__(self, dt, q, r):
        self.f = tf.constant([[1.0, dt], [0.0, 1.0]])
        self.h = tf.constant([[1.0, 0.0]])
        self.q = q * tf.eye(2)
        self.r = r * tf.eye(1)
        self.m0 = tf.zeros((2,))
        self.p0 = tf.eye(2)

    def step(self, carry, z):
        m, p = carry
        m = tf.matmul(self.f, tf.reshape(m, (2, 1)))
        p = self.f @ p @ tf.transpose(self.f) + self.q
        s = self.h @ p @ tf.transpose(self.h) + self.r
        gain = p @ tf.transpose(self.h) @ tf.linalg.inv(s)
        m = m + gain @ (tf.reshape(z, (1, 1)) - self.h @ m)
        p = (tf.eye(2) - gain @ self.h) @ p
        return m, p

    @tf.function
    def filter(self, observations):
        means, _ = tf.scan(self.step, observations, initializer=(self.m0, self.p0))
        return means


rng = np.random.default_rng(121)
t = np.arange(50) * 0.1
position = 3 * t + 0.2 * np.sin(t)
observed = tf.constant(position + rng.normal(0, .3, 50), tf.float32)
tracker = Kalman(dt=0.1, q=1e-3, r=0.09)
means = tracker.filter(observed)
print("speed estimate", float(means[-1, 1, 0]))
