"""Physics-informed network for Burgers' equation."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf

nu = 0.01 / np.pi
rng = np.random.default_rng(0)


def interior(n):
    return rng.uniform(0, 1, (n, 1)), rng.uniform(-1, 1, (n, 1))


def initial(n):
    x = np.linspace(-1, 1, n)[:, None]
    return np.zeros_like(x), x, -np.sin(np.pi * x)


def walls(n):
    t = rng.uniform(0, 1, (n, 1))
    x = rng.choice([-1.0, 1.0], n)
    return t, x, np.zeros((n, 1))


def to_tf(*arrays):
    return [tf.constant(a, tf.float32) for a in arrays]


class BurgersNet(tf.keras.Model):
    def __init__(self, width=16, depth=3):
        super().__init__()
        self.hidden = [tf.keras.layers.Dense(width, "tanh") for _ in range(depth)]
        self.u = tf.keras.layers.Dense(1)

    def call(self, t, x):
        h = tf.concat([t, x], axis=1)
        for layer in self.hidden:
            h = layer(h)
        return self.u(h)

    def residual(self, t, x):
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape(persistent=True) as first:
                first.watch([t, x])
                u = self(t, x)
            u_x = first.gradient(u, x)
        u_xx = second.gradient(u_x, x)
        return first.gradient(u, t) + u * u_x - nu * u_xx


net = BurgersNet()
adam = tf.keras.optimizers.Adam(1e-3)
t_f, x_f = to_tf(*interior(100))
conditions = [to_tf(*initial(25)), to_tf(*walls(20))]

for it in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net.residual(t_f, x_f)))
        for t, x, value in conditions:
            loss += tf.reduce_mean(tf.square(net(t, x) - value))
    grads = tape.gradient(loss, net.trainable_variables)
    adam.apply_gradients(zip(grads, net.trainable_variables))
    print(it, float(loss))
