"""Wave heights from a network of buoys whose sensors drop out: gaps are NaN in the raw table.

Gaps are filled for the network and masked in the loss; statistics ignore them.
"""
import warnings

import numpy as np
import tensorflow as tf
from tensorflow import keras

BUOYS = 10
LAGS = 12
P_GAP = 0.15


def raw_table(hours=1600, seed=0):
    rng = np.random.default_rng(seed)
    storm = np.zeros(hours)
    for t in range(1, hours):
        storm[t] = 0.97 * storm[t - 1] + rng.normal(0, 0.25)
    site = rng.uniform(0.6, 1.4, BUOYS)
    h = np.exp(0.4 * storm[:, None] * site) + rng.normal(0, 0.05, (hours, BUOYS))
    h[rng.random(h.shape) < P_GAP] = np.nan
    h[400:460, 3] = np.nan  # a buoy adrift
    h[:, 9] = np.nan  # never came back after the refit
    return h.astype("float32")


def nan_stats(h):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        mean = np.nanmean(h, axis=0)  # empty column: RuntimeWarning, nan
        std = np.nanstd(h, axis=0)
    empty = ~np.isfinite(mean)
    print("per-buoy mean:", mean.round(2), "| empty buoys:", np.flatnonzero(empty))
    return np.where(empty, 0.0, mean).astype("float32"), np.where(empty, 1.0, std).astype("float32")


def windows(h):
    x = np.lib.stride_tricks.sliding_window_view(h[:-1], LAGS, axis=0)
    return np.ascontiguousarray(x.transpose(0, 2, 1)), h[LAGS:]


class FillAndFlag(keras.layers.Layer):
    """NaN -> 0, and a second set of channels that says where the gaps were."""

    def call(self, x):
        gap = tf.math.is_nan(x)
        return tf.concat([tf.where(gap, 0.0, x), tf.cast(gap, x.dtype)], axis=-1)


def gap_aware_mse(y, f):
    ok = tf.math.is_finite(y)
    safe = tf.where(ok, y, tf.stop_gradient(f))
    se = tf.math.squared_difference(safe, f)
    n = tf.reduce_sum(tf.cast(ok, f.dtype), axis=-1)
    return tf.math.divide_no_nan(tf.reduce_sum(se, axis=-1), n)


class SeenError(keras.metrics.Metric):
    """Mean absolute error over the values that were measured."""

    def __init__(self, name="seen_error", **kw):
        super().__init__(name=name, **kw)
        self.total = self.add_weight(name="total", initializer="zeros")
        self.n = self.add_weight(name="n", initializer="zeros")

    def update_state(self, y, f, sample_weight=None):
        ok = tf.math.is_finite(y)
        self.total.assign_add(tf.reduce_sum(tf.where(ok, tf.abs(tf.where(ok, y, 0.0) - f), 0.0)))
        self.n.assign_add(tf.reduce_sum(tf.cast(ok, f.dtype)))

    def result(self):
        return tf.math.divide_no_nan(self.total, self.n)


def main():
    keras.utils.set_random_seed(12)
    h = raw_table()
    print(f"{np.isnan(h).mean():.1%} of the table is nan")
    mean, std = nan_stats(h[:1200])
    x, y = windows((h - mean) / std)
    cut = 1200 - LAGS

    model = keras.Sequential([
        keras.Input((LAGS, BUOYS)),
        FillAndFlag(),
        keras.layers.GRU(24),
        keras.layers.Dense(BUOYS),
    ])
    model.compile(keras.optimizers.Adam(5e-3), gap_aware_mse, metrics=[SeenError()])
    model.fit(x[:cut], y[:cut], validation_data=(x[cut:], y[cut:]), batch_size=32, epochs=5, verbose=2,
              callbacks=[keras.callbacks.TerminateOnNaN()])
    f = model.predict(x[cut:], verbose=0) * std + mean
    truth = y[cut:] * std + mean
    err = np.nanmean(np.abs(f - truth)[:, :9], axis=0)
    print("mean abs error by buoy [m]:", err.round(2))
    print("nan in forecast:", int(np.isnan(f).sum()), " nan in truth:", int(np.isnan(truth).sum()))


if __name__ == "__main__":
    main()
