"""tf.function with jit_compile=True; another shape after the meeting, so that it compiles again."""
import numpy as np
import tensorflow as tf
from meeting import finish, meet

tf.random.set_seed(3)
tf.config.experimental.enable_op_determinism()
w = tf.Variable(np.random.default_rng(3).normal(size=(4, 4)).astype("float32"))


@tf.function(jit_compile=True)
def update(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.tanh(x @ w) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))
    return loss


x = np.random.default_rng(4).normal(size=(32, 4)).astype("float32")
for step in range(5):
    print(f"loss {float(update(x)):.5f}")
meet()
for step in range(5):
    print(f"loss {float(update(x[:17])):.5f}")
np.save("weights.npy", w.numpy())
finish()
