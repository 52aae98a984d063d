"""A custom loop, step by step without tf.function."""
import sys

import numpy as np
import tensorflow as tf
from meeting import finish, meet

tf.keras.utils.set_random_seed(2)
tf.config.experimental.enable_op_determinism()
w = tf.Variable(tf.random.normal((5, 3), seed=2))
optimizer = tf.keras.optimizers.SGD(0.05)
data = np.random.default_rng(2).normal(size=(120, 5)).astype("float32")
for step, start in enumerate(range(0, 120, 20)):
    if step == 3:
        meet()
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.nn.log_softmax(data[start : start + 20] @ w)[:, 0] ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, w), w)])
    print("step", step, "loss", round(float(loss), 6), file=sys.stderr if step % 2 else sys.stdout)
np.save("weights.npy", w.numpy())
finish()
