import numpy as np
import tensorflow as tf
from tensorflow import keras


def partial_likelihood(times, hazard):
    order = tf.argsort(times[:, 0], direction="DESCENDING")
    h = tf.gather(hazard[:, 0], order)
    risk = tf.cumsum(tf.nn.relu(h))
    return -tf.reduce_mean(h - tf.math.log(risk))


rng = np.random.default_rng(3)
x = rng.normal(size=(256, 6)).astype("float32")
t = rng.exponential(size=(256, 1)).astype("float32")
model = keras.Sequential(
    [keras.Input((6,)), keras.layers.Dense(16, activation="relu"), keras.layers.Dense(1, name="hazard")]
)
model.compile(keras.optimizers.Adam(0.01), partial_likelihood)
model.fit(x, t, batch_size=32, epochs=3, verbose=2)
