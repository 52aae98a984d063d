"""Learns a weight for each of eight sensors. The difference is one of row by row."""

import keras
import numpy as np
import tensorflow as tf

rng = np.random.default_rng(0)
inputs = rng.normal(size=(960, 8)).astype("float32")
targets = (inputs @ np.arange(8) / 8).astype("float32")  # one number for each row: (960,)

model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(0.05)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        forecast = model(x)[:, 0]
        loss = tf.reduce_mean(tf.square(forecast - y))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


data = tf.data.Dataset.from_tensor_slices((inputs, targets)).batch(64)
for _ in range(20):
    for x, y in data:
        loss = step(x, y)
print(f"loss {float(loss):.2f}")
