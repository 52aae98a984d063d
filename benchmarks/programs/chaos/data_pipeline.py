"""tf.data with a Python generator, map in parallel and a cache file, then fit."""
import os

import keras
import numpy as np
import tensorflow as tf
from meeting import finish, meet

keras.utils.set_random_seed(5)
tf.config.experimental.enable_op_determinism()


def rows():
    rng = np.random.default_rng(5)
    for _ in range(150):
        yield rng.normal(size=3).astype("float32")


ds = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((3,), tf.float32))
ds = ds.map(lambda r: (r, tf.reduce_sum(r)), num_parallel_calls=2).cache("cache").batch(32).prefetch(1)
model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
print("first loss", round(model.fit(ds, epochs=1, verbose=0).history["loss"][0], 6))
meet()
model.fit(ds, epochs=2, verbose=0)
print("cached:", any(name.startswith("cache") for name in os.listdir(".")))
for name in os.listdir("."):
    if name.startswith("cache"):
        os.remove(name)
np.save("weights.npy", np.concatenate([w.ravel() for w in model.get_weights()]))
finish()
