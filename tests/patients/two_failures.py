"""Two failures that have nothing to do with each other: the first is caught, the second ends the program."""

import keras
import numpy as np
import tensorflow as tf


@tf.function(jit_compile=True)
def grows(x, n):
    total = tf.zeros((0, 4))
    for _ in tf.range(n):
        total = tf.concat([total, x], 0)
    return total


@tf.function(jit_compile=True)
def prints(x):
    tf.print("x", x)
    return x * 2


try:
    grows(tf.ones((2, 4)), tf.constant(3))
except ValueError as error:
    print("skipped:", type(error).__name__)

steps = keras.Input((5, 3))
every_step = keras.Model(steps, keras.ops.reshape(steps, (-1, 3)))
print(every_step.predict(np.zeros((8, 5, 3), "float32"), verbose=0).shape)
rows = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
print(rows.predict(np.zeros((10, 3)), batch_size=4, steps=1, verbose=0).shape)
prints(tf.ones(3))
