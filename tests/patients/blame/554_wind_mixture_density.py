import math

import numpy as np
import tensorflow as tf


def mixture_nll(k):
    def loss(y, params):
        logit, mu, log_sigma = tf.split(params, 3, axis=-1)
        z = (y - mu) * tf.exp(-log_sigma)
        log_p = -0.5 * tf.square(z) - log_sigma - 0.5 * math.log(2 * math.pi)
        return -tf.reduce_logsumexp(tf.nn.log_softmax(logit) + log_p, axis=-1)
    return loss


def mdn(n_features, k, hidden=(16, 16)):
    inp = tf.keras.Input((n_features,))
    h = inp
    for units in hidden:
        h = tf.keras.layers.Dense(units, activation="tanh")(h)
    params = tf.keras.layers.Dense(2 * k)(h)
    return tf.keras.Model(inp, params)


def wind_farm(n=96):
    rng = np.random.default_rng(31)
    speed = rng.weibull(2.0, (n, 1)) * 8
    direction = rng.uniform(0, 2 * np.pi, (n, 1))
    wake = rng.random((n, 1)) < 0.3
    power = np.clip(speed / 12, 0, 1) ** 3 * np.where(wake, 0.6, 1.0)
    x = np.concatenate([speed / 10, np.sin(direction), np.cos(direction)], axis=1)
    return x.astype("float32"), power.astype("float32")


components = 5
x, y = wind_farm()
model = mdn(x.shape[1], components)
model.compile(optimizer=tf.keras.optimizers.Adam(5e-3), loss=mixture_nll(components))
history = model.fit(x, y, batch_size=32, epochs=2, verbose=0)
print("nll", history.history["loss"])
