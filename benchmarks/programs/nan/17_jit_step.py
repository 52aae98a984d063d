"""A step that XLA compiles; a mean over the rows of a mask that is empty once."""

import tensorflow as tf

tf.random.set_seed(61)
weight = tf.Variable(tf.random.normal((5, 1)))
inputs = tf.random.normal((6, 20, 5))
masks = tf.cast(tf.random.uniform((6, 20, 1)) > 0.4, tf.float32)
masks = tf.tensor_scatter_nd_update(masks, [[4]], tf.zeros((1, 20, 1)))


@tf.function(jit_compile=True)
def train(x, mask):
    with tf.GradientTape() as tape:
        squares = tf.square(tf.matmul(x, weight) - 1.0) * mask
        loss = tf.reduce_sum(squares) / tf.reduce_sum(mask)
    weight.assign_sub(0.05 * tape.gradient(loss, weight))
    return loss


for batch in range(6):
    print("batch", batch, "loss", train(inputs[batch], masks[batch]).numpy())
