"""Fit the decay of a pulse to the sorted heights above the noise, in a step that XLA compiles."""

import numpy as np
import tensorflow as tf

NOISE = 0.05
rate = tf.Variable(1.0)


def above_noise(times, heights):
    loud = heights > NOISE
    return tf.cast(loud, heights.dtype)


@tf.function(jit_compile=True)
def step(times, heights, speed):
    with tf.GradientTape() as tape:
        loud = above_noise(times, heights)
        errors = tf.sort(loud * heights) - tf.sort(loud * tf.exp(-rate * times))
        loss = tf.reduce_sum(tf.square(errors)) / tf.reduce_sum(loud)
    rate.assign_sub(speed * tape.gradient(loss, rate))
    return loss


times = np.linspace(0.0, 4.0, 64, dtype="float32")
heights = np.exp(-1.7 * times) + np.random.default_rng(2).normal(scale=0.01, size=64).astype("float32")
for _ in range(50):
    loss = step(times, heights, 0.5)
print(f"rate {float(rate):.2f}, loss {float(loss):.4f}")
