"""Tide-gauge forecasting: sliding windows with tf.data and a small dilated convolution."""
import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

HISTORY = 48
HORIZON = 6
STRIDE = 8


class Gauge:
    """Hourly water level with the main lunar and solar constituents and some surge."""

    PERIODS = {"M2": 12.42, "S2": 12.0, "O1": 25.82, "K1": 23.93}

    def __init__(self, hours, seed):
        rng = np.random.default_rng(seed)
        t = np.arange(hours)
        level = sum(
            rng.uniform(0.2, 1.4) * np.cos(2 * np.pi * t / p + rng.uniform(0, 6))
            for p in self.PERIODS.values()
        )
        surge = pd.Series(rng.normal(0, 1, hours)).ewm(span=30).mean()
        self.frame = pd.DataFrame({"level": level + surge, "surge": surge})

    def normalised(self):
        return ((self.frame - self.frame.mean()) / self.frame.std()).astype("float32")


def windows(values, shuffle):
    size = HISTORY + HORIZON
    ds = tf.data.Dataset.from_tensor_slices(values)
    ds = ds.window(size, shift=STRIDE)
    ds = ds.flat_map(lambda w: w.batch(size))
    ds = ds.map(lambda w: (w[:HISTORY], w[HISTORY:, 0]), num_parallel_calls=2)
    if shuffle:
        ds = ds.shuffle(16, seed=2)
    return ds


def forecaster(channels):
    x = keras.Input((None, channels))
    h = x
    for rate in (1, 2, 4):
        h = keras.layers.Conv1D(16, 3, dilation_rate=rate, padding="causal", activation="relu")(h)
    h = keras.layers.GlobalAveragePooling1D()(h)
    return keras.Model(x, keras.layers.Dense(HORIZON)(h))


def skill(model, ds):
    errors = []
    for x, y in ds:
        errors.append(np.abs(model.predict_on_batch(x) - y.numpy()))
    return float(np.concatenate(errors).mean())


if __name__ == "__main__":
    keras.utils.set_random_seed(5)
    series = Gauge(900, seed=5).normalised()
    split = 700
    train = windows(series.to_numpy()[:split], shuffle=True).batch(16)
    held = windows(series.to_numpy()[split:], shuffle=False).batch(4)
    print("element", train.element_spec)

    model = forecaster(series.shape[1])
    model.compile(keras.optimizers.Adam(3e-3), "huber")
    model.fit(train, epochs=2, verbose=2)
    print("mean absolute error", skill(model, held))
