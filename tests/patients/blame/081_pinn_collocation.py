import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(112)
NU = 0.01 / np.pi


def collocation(n):
    x = tf.random.uniform((n, 1), -1.0, 1.0, seed=1)
    t = tf.linspace(0.0, 1.0, n)
    return x, t


class Field(keras.Model):
    def __init__(self, width=16, depth=2):
        super().__init__()
        self.hidden = [keras.layers.Dense(width, activation="tanh") for _ in range(depth)]
        self.u = keras.layers.Dense(1)

    def call(self, xt):
        h = xt
        for layer in self.hidden:
            h = layer(h)
        return self.u(h)


def residual(field, x, t):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as inner:
            inner.watch([x, t])
            u = field(tf.concat([x, t], axis=1))
        u_x, u_t = inner.gradient(u, x), inner.gradient(u, t)
    u_xx = outer.gradient(u_x, x)
    return u_t + u * u_x - NU * u_xx


field = Field()
opt = keras.optimizers.Adam(1e-3)
for step in range(3):
    x, t = collocation(64)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(residual(field, x, t)))
    grads = tape.gradient(loss, field.trainable_variables)
    opt.apply_gradients(zip(grads, field.trainable_variables))
    print(step, float(loss))
