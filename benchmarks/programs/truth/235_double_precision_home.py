"""Eigenmodes of a drum by a small network; double precision is wanted for the second derivatives."""
import json
import os
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import keras
import numpy as np
import tensorflow as tf

home = tempfile.mkdtemp(prefix="keras_home_")
with open(os.path.join(home, "keras.json"), "w") as f:
    json.dump({"floatx": "float64", "epsilon": 1e-10, "backend": "tensorflow",
               "image_data_format": "channels_last"}, f)
os.environ["KERAS_HOME"] = home

model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(20, "tanh"), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam(5e-3)
optimizer.build(model.trainable_variables)
rng = np.random.default_rng(8)


@tf.function(jit_compile=True)
def step(xy):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            tape.watch(xy)
            u = model(xy) * tf.reduce_prod(xy * (1 - xy), axis=1, keepdims=True)
        du = tape.gradient(u, xy)
        quotient = tf.reduce_sum(du ** 2) / tf.reduce_sum(u ** 2)
    grads = outer.gradient(quotient, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return quotient


for i in range(150):
    q = step(tf.constant(rng.random((256, 2)), dtype=model.compute_dtype))
    if i % 50 == 49:
        print(f"{i + 1:4d}  quotient {float(q):.4f}   (2 pi^2 = {2 * np.pi ** 2:.4f})")
print("precision of the weights:", model.weights[0].dtype)
