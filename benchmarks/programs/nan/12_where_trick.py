"""Logarithms of positive entries only, chosen after the fact: the other branch still has a gradient."""

import tensorflow as tf

tf.random.set_seed(41)
x = tf.concat([tf.random.uniform((30, 3), 0.1, 2.0), tf.zeros((2, 3))], axis=0)
w = tf.Variable(tf.ones((3,)))


@tf.function
def loss_of(x):
    z = x * w
    logs = tf.where(z > 0.0, tf.math.log(z), tf.zeros_like(z))
    return tf.reduce_mean(tf.square(logs))


for epoch in range(5):
    with tf.GradientTape() as tape:
        loss = loss_of(x)
    w.assign_sub(0.1 * tape.gradient(loss, w))
    print("epoch", epoch, "loss", float(loss))
