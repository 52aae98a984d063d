"""Angles between unit vectors: rounding carries a cosine beyond one."""

import tensorflow as tf

tf.random.set_seed(53)
directions = tf.Variable(tf.random.normal((40, 3)))


def angle_loss(v):
    unit = v / tf.norm(v, axis=1, keepdims=True)
    cosine = tf.reduce_sum(unit * unit, axis=1) * 1.000001
    return tf.reduce_mean(tf.acos(cosine))


@tf.function
def train():
    with tf.GradientTape() as tape:
        loss = angle_loss(directions)
    (gradient,) = tape.gradient(loss, [directions])
    directions.assign_sub(0.01 * gradient)
    return loss


losses = [float(train()) for _ in range(6)]
print(f"loss={losses[-1]:.3f}")
