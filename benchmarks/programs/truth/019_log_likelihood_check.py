"""Mixture of two Gaussians, gradient ascent on the likelihood."""
import math
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(2)
points = np.concatenate([rng.normal(-2, 0.5, 80), rng.normal(60, 0.5, 40)]).astype("float32")
x = tf.constant(points)

logits = tf.Variable([0.0, 0.0])
means = tf.Variable([-1.0, 1.0])
log_sigma = tf.Variable([0.0, 0.0])
params = [logits, means, log_sigma]
opt = tf.keras.optimizers.SGD(0.01)


def density(x):
    sigma = tf.exp(log_sigma)
    z = (x[:, None] - means) / sigma
    return tf.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))


def nll():
    weights = tf.nn.softmax(logits)
    total = tf.reduce_sum(weights * density(x), axis=1)
    value = -tf.reduce_mean(tf.math.log(total))
    return tf.debugging.check_numerics(value, "negative log likelihood")


for it in range(20):
    with tf.GradientTape() as tape:
        value = nll()
    opt.apply_gradients(zip(tape.gradient(value, params), params))
    if it % 5 == 0:
        print(it, float(value))
