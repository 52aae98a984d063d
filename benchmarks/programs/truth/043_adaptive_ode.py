"""Fit the decay rate of an ODE by differentiating through the solver."""
import numpy as np
import tensorflow as tf

OBS_TIME = 1.0


def observed(rate=1.3):
    y0 = np.array([1.0, 2.0, 4.0], "float32")
    return y0, (y0 * np.exp(-rate * OBS_TIME)).astype("float32")


class Decay(tf.Module):
    def __init__(self):
        super().__init__()
        self.rate = tf.Variable(0.5)

    def rhs(self, y):
        return -self.rate * y

    def solve(self, y, tolerance):
        t, h = tf.constant(0.0), tf.constant(0.2)
        while t < OBS_TIME:
            h = tf.minimum(h, OBS_TIME - t)
            k1 = self.rhs(y)
            k2 = self.rhs(y + h * k1)
            error = tf.reduce_max(tf.abs(0.5 * h * (k2 - k1)))
            if error < tolerance:
                y = y + 0.5 * h * (k1 + k2)
                t = t + h
                h = 1.5 * h
            else:
                h = 0.5 * h
        return y

    @tf.function(jit_compile=True)
    def loss_and_grad(self, y0, target, tolerance):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self.solve(y0, tolerance) - target) ** 2)
        return loss, tape.gradient(loss, self.rate)


y0, target = observed()
model = Decay()
for tolerance in (1e-1, 1e-2, 1e-2):
    loss, grad = model.loss_and_grad(tf.constant(y0), tf.constant(target), tf.constant(tolerance))
    model.rate.assign_sub(0.2 * grad)
    print(tolerance, float(loss), float(model.rate))
