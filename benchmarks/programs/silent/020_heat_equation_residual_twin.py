import numpy as np
import tensorflow as tf

ALPHA = 0.1
HIDDEN = 10
rng = np.random.default_rng(17)
params = [tf.Variable(rng.normal(0, 0.7, s).astype("float32")) for s in [(2, HIDDEN), (HIDDEN,), (HIDDEN, 1)]]


def u_net(x, t):
    w1, b1, w2 = params
    return tf.tanh(tf.concat([x, t], 1) @ w1 + b1) @ w2


def source(x, t):
    xt = tf.concat([x, t], axis=1)
    return tf.exp(-xt[:, 1:]) * tf.sin(np.pi * xt[:, :1])


def residual(x, t):
    with tf.GradientTape() as second:
        second.watch(x)
        with tf.GradientTape(persistent=True) as first:
            first.watch([x, t])
            u = u_net(x, t)
        u_x = first.gradient(u, x)
        u_t = first.gradient(u, t)
    u_xx = second.gradient(u_x, x)
    return u_t - ALPHA * u_xx - source(x, t)


@tf.function
def step(x, t, lr):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(residual(x, t)))
    for p, g in zip(params, tape.gradient(loss, params)):
        p.assign_sub(lr * g)
    return loss


x = tf.constant(rng.uniform(0, 1, (40, 1)).astype("float32"))
t = tf.constant(rng.uniform(0, 1, (40, 1)).astype("float32"))
for i in range(60):
    loss = step(x, t, tf.constant(0.02))
print("residual loss after 60 steps: %.5f" % float(loss))
