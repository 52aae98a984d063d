"""Tides: custom loop, fixed input signature so that the step is traced only once."""
import numpy as np
import tensorflow as tf

tf.random.set_seed(35)
BATCH, HARMONICS = 25, 14
PERIODS = np.array([12.42, 12.0, 12.66, 25.82, 23.93, 26.87, 24.07])

rng = np.random.default_rng(35)
hours = rng.uniform(0, 5000, 620)
angles = 2 * np.pi * hours[:, None] / PERIODS
design = np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype("float32")
level = (design @ rng.normal(size=(HARMONICS, 1)) + rng.normal(0, 0.1, (620, 1))).astype("float32")

train = tf.data.Dataset.from_tensor_slices((design[:500], level[:500])).shuffle(500, seed=2).batch(BATCH)
valid = tf.data.Dataset.from_tensor_slices((design[500:], level[500:])).batch(BATCH)

coefficients = tf.Variable(tf.zeros((HARMONICS, 1)))
optimizer = tf.keras.optimizers.Adam(0.05)
optimizer.build([coefficients])

SIGNATURE = [tf.TensorSpec((BATCH, HARMONICS), tf.float32), tf.TensorSpec((BATCH, 1), tf.float32)]


@tf.function(input_signature=SIGNATURE)
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((x @ coefficients - y) ** 2)
    optimizer.apply_gradients([(tape.gradient(loss, coefficients), coefficients)])
    return loss


@tf.function(input_signature=SIGNATURE)
def valid_step(x, y):
    return tf.reduce_mean((x @ coefficients - y) ** 2)


for epoch in range(4):
    losses = [train_step(x, y) for x, y in train]
    errors = [valid_step(x, y) for x, y in valid]
    tf.print("epoch", epoch, "train", tf.reduce_mean(losses), "valid", tf.reduce_mean(errors))
np.save("coefficients.npy", coefficients.numpy())
