"""The equation, its collocation points and its boundary values."""
import math

import tensorflow as tf


class HeatProblem:
    def __init__(self, diffusivity):
        self.a = diffusivity

    def interior(self, n):
        return tf.random.uniform([n, 1]), tf.random.uniform([n, 1])

    def boundary(self, n):
        """Initial profile sin(pi x) and cold ends."""
        x = tf.concat([tf.random.uniform([n, 1]), tf.zeros([n // 2, 1]), tf.ones([n // 2, 1])], 0)
        t = tf.concat([tf.zeros([n, 1]), tf.random.uniform([n, 1])], 0)
        u = tf.concat([tf.sin(math.pi * x[:n]), tf.zeros([n, 1])], 0)
        return x, t, u

    def residual(self, net, x, t):
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as inner:
                inner.watch([x, t])
                u = net(tf.concat([x, t], axis=1))
            u_x = inner.gradient(u, x)
            u_t = inner.gradient(u, t)
        u_xx = outer.gradient(u_x, x)
        return u_t - self.a * u_xx

    def mismatch(self, predicted, wanted):
        return tf.reduce_mean(tf.square(predicted - wanted))
