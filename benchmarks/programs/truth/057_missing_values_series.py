"""Imputation of gaps in a sensor series by a masked autoencoder."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(2)


def gappy_series(n=64, length=24):
    rng = np.random.default_rng(2)
    phase = rng.uniform(0, 6, (n, 1))
    clean = np.sin(phase + np.arange(length) / 3.0)
    observed = clean.copy()
    observed[rng.random(observed.shape) < 0.2] = np.nan
    return clean.astype("float32"), observed.astype("float32")


def masked_mse(target, output):
    known = tf.math.is_finite(target)
    safe = tf.where(known, target, tf.zeros_like(target))
    squared = tf.where(known, (safe - output) ** 2, 0.0)
    return tf.reduce_sum(squared) / tf.reduce_sum(tf.cast(known, tf.float32))


clean, observed = gappy_series()
print("NaN in input:", int(np.isnan(observed).sum()), "of", observed.size)
filled = np.nan_to_num(observed, nan=0.0)
model = tf.keras.Sequential([
    tf.keras.Input((24,)),
    tf.keras.layers.Dense(16, "tanh"),
    tf.keras.layers.Dense(24),
])
model.compile("adam", masked_mse)
history = model.fit(filled, observed, epochs=5, verbose=0)
assert np.isfinite(history.history["loss"]).all()
print("NaN handling ok, loss", round(history.history["loss"][-1], 3))
