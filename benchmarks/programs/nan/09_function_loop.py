"""A compiled step that is called in a loop, with a weight that is divided by a shrinking scale."""

import tensorflow as tf

tf.random.set_seed(29)
weight = tf.Variable(tf.random.normal((4, 1)))
scale = tf.Variable(1.0)
x = tf.random.normal((64, 4))
y = tf.reduce_sum(x, axis=1, keepdims=True)


@tf.function
def step():
    with tf.GradientTape() as tape:
        prediction = tf.matmul(x, weight)
        error = (prediction - y) / scale
        loss = tf.reduce_mean(tf.square(error))
    gradient = tape.gradient(loss, weight)
    weight.assign_sub(0.001 * gradient)
    scale.assign(tf.maximum(scale - 0.25, 0.0))
    return loss


total = 0.0
for _ in range(10):
    total += float(step())
print("mean loss:", total / 10)
