"""Gap filling of a rain gauge network.

The gauges drop out now and then; a missing day is NaN in the archive and stays NaN
through the pipeline, so that nobody mistakes it for a dry day.
"""
import numpy as np
import tensorflow as tf
import keras

DAYS, GAUGES = 365, 14


def archive(seed=8):
    rng = np.random.default_rng(seed)
    front = rng.gamma(0.4, 6.0, size=(DAYS, 1))
    rain = front * rng.uniform(0.6, 1.4, size=(1, GAUGES)) + rng.gamma(0.2, 1.0, size=(DAYS, GAUGES))
    rain[rng.random((DAYS, GAUGES)) < 0.12] = np.nan
    return np.log1p(rain).astype("float32")


def present(x):
    return tf.logical_not(tf.math.is_nan(x))


class MaskedMSE(keras.losses.Loss):
    def call(self, y_true, y_pred):
        ok = present(y_true)
        clean = tf.where(ok, y_true, tf.zeros_like(y_true))
        err = tf.where(ok, tf.square(clean - y_pred), tf.zeros_like(y_pred))
        return tf.math.divide_no_nan(tf.reduce_sum(err, -1), tf.reduce_sum(tf.cast(ok, err.dtype), -1))


def hide(x, rate=0.3):
    """Denoising input: value (0 where missing or hidden) and a flag."""
    ok = present(x)
    keep = tf.random.stateless_uniform(tf.shape(x), seed=[1, 2]) > rate
    flag = tf.cast(tf.logical_and(ok, keep), tf.float32)
    value = tf.where(flag > 0, x, 0.0)
    return tf.concat([value, flag], axis=-1), x


x = archive()
print("missing:", int(np.isnan(x).sum()), "of", x.size, "| plain mean:", x.mean(), "| nanmean: %.4f" % np.nanmean(x))

ds = tf.data.Dataset.from_tensor_slices(x).batch(32).map(hide)
keras.utils.set_random_seed(5)
model = keras.Sequential([
    keras.Input((2 * GAUGES,)),
    keras.layers.Dense(48, activation="relu"),
    keras.layers.Dense(GAUGES),
])
model.compile(optimizer=keras.optimizers.Adam(3e-3), loss=MaskedMSE())
hist = model.fit(ds, epochs=6, verbose=0)
losses = hist.history["loss"]
assert np.all(np.isfinite(losses)), losses
print("loss %.4f -> %.4f" % (losses[0], losses[-1]))

filled = np.where(np.isnan(x), model.predict(np.concatenate([np.nan_to_num(x), ~np.isnan(x)], 1), verbose=0), x)
print("NaN left after filling:", int(np.isnan(filled).sum()))
