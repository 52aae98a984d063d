"""Goes through the places eagerly, in a `tf.function`, under `jit_compile=True` and in Keras; ends with 0."""

import keras
import numpy as np
import tensorflow as tf
from gears import ops
from gears.watched import watched


@watched("x (B) -> (B)")
def own(x):
    return x


x, k = tf.ones([4, 5]), tf.range(4)
ops.shift(x, k)
tf.function(ops.shift)(x, k)
tf.function(ops.shift, jit_compile=True)(x, k)
ops.double(x)
print(float(tf.reduce_sum(ops.flipped(x))))
own(x[:, 0])
model = keras.Sequential([keras.Input((5,)), ops.Pad(), keras.layers.Dense(6), ops.Gears()], name="gears")
model.compile("sgd", "mse", jit_compile=True)
model.fit(np.ones((7, 5), "float32"), np.ones((7, 1), "float32"), batch_size=4, verbose=0)
model.predict(np.ones((5, 5), "float32"), batch_size=4, verbose=0)
