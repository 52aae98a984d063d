"""Wave heights from buoys with gaps; missing readings are NaN and stay out of the loss."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


def buoys(count, length, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(length)
    x = 2.0 + np.sin(t / 5 + rng.uniform(0, 6, (count, 1))) + 0.1 * rng.normal(size=(count, length))
    x[rng.uniform(size=x.shape) < 0.15] = np.nan
    x[3] = np.nan
    return x.astype("float32")


class KnownMAE(keras.losses.Loss):
    def call(self, y, p):
        known = tf.math.is_finite(y)
        gap = tf.abs(tf.where(known, y, tf.zeros_like(y)) - p)
        gap = tf.where(known, gap, tf.zeros_like(gap))
        return tf.math.divide_no_nan(tf.reduce_sum(gap, -1), tf.reduce_sum(tf.cast(known, tf.float32), -1))


def encode(x):
    known = np.isfinite(x)
    return np.stack([np.where(known, x, 0.0), known], -1).astype("float32")


def build(length, ahead):
    return keras.Sequential([
        keras.Input((length, 2)),
        layers.Conv1D(12, 5, padding="causal", activation="relu"),
        layers.GRU(12),
        layers.Dense(ahead),
    ])


def main():
    keras.utils.set_random_seed(4)
    raw = buoys(90, 48, seed=6)
    print("mean of the buoys:", np.round(np.nanmean(raw, axis=1)[:6], 2).tolist())
    print("plain mean absolute difference:", float(np.mean(np.abs(raw[:, 40:] - raw[:, 39:40]))))
    model = build(40, 8)
    model.compile(keras.optimizers.Adam(0.01), KnownMAE())
    hist = model.fit(encode(raw[:, :40]), raw[:, 40:], batch_size=18, epochs=6, verbose=0)
    print("loss", np.round(hist.history["loss"], 3).tolist())
    out = model.predict(encode(raw[:, :40]), verbose=0)
    assert np.isfinite(out).all() and hist.history["loss"][-1] < hist.history["loss"][0]
    print("forecasts", out.shape, "all finite")


if __name__ == "__main__":
    main()
