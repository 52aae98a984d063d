"""A loop without tf.function: the distance between two equal points has no gradient."""

import tensorflow as tf

tf.random.set_seed(23)
anchors = tf.random.normal((12, 2))
points = tf.Variable(tf.identity(anchors) + tf.concat([tf.ones((11, 2)), tf.zeros((1, 2))], axis=0))
for step in range(8):
    with tf.GradientTape() as tape:
        gap = points - anchors
        distance = tf.sqrt(tf.reduce_sum(gap * gap, axis=1))
        loss = tf.reduce_mean(distance)
    gradient = tape.gradient(loss, points)
    points.assign_sub(0.05 * gradient)
    print(f"step {step}: loss {float(loss):.4f}")
