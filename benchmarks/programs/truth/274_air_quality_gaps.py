"""Gap filling for air-quality stations; missing hours are NaN in the source and stay NaN in the targets."""
import logging

import numpy as np
import pandas as pd
import tensorflow as tf
from tensorflow import keras

logging.basicConfig(level=logging.ERROR, format="%(asctime)s %(levelname)s %(message)s")
POLLUTANTS = ["NO2", "O3", "PM10", "PM25"]


def stations(hours, seed):
    rng = np.random.default_rng(seed)
    base = rng.normal(0, 1, (hours, 2)).cumsum(0) / 6
    mixed = base @ rng.normal(0, 1, (2, len(POLLUTANTS))) + rng.normal(0, 0.1, (hours, len(POLLUTANTS)))
    frame = pd.DataFrame(mixed, columns=POLLUTANTS)
    for name in POLLUTANTS:
        for start in rng.integers(0, hours - 12, 9):
            frame.loc[start: start + rng.integers(3, 12), name] = np.nan
    return frame


def masked_mse(target, predicted):
    known = tf.math.is_finite(target)
    safe = tf.where(known, target, tf.zeros_like(target))
    weight = tf.cast(known, predicted.dtype)
    return tf.reduce_sum(weight * tf.square(safe - predicted)) / tf.maximum(tf.reduce_sum(weight), 1.0)


class KnownShare(keras.metrics.Metric):
    def __init__(self, **kw):
        super().__init__(name="known", **kw)
        self.known = self.add_weight(name="k", initializer="zeros")
        self.total = self.add_weight(name="t", initializer="zeros")

    def update_state(self, target, predicted, sample_weight=None):
        finite = tf.cast(tf.math.is_finite(target), tf.float32)
        self.known.assign_add(tf.reduce_sum(finite))
        self.total.assign_add(tf.cast(tf.size(target), tf.float32))

    def result(self):
        return self.known / self.total


def main():
    keras.utils.set_random_seed(2)
    frame = stations(600, 2)
    for name, gaps in frame.isna().sum().items():
        logging.error("station channel %s: %d hours are NaN", name, gaps)
    print(frame.describe().round(3).to_string())
    print(frame[frame.isna().any(axis=1)].head(12).round(2).to_string())

    target = frame.to_numpy("float32")
    known = np.isfinite(target)
    hidden = known & (np.random.default_rng(3).uniform(size=target.shape) < 0.15)
    inputs = np.where(known & ~hidden, target, 0.0)
    features = np.concatenate([inputs, (known & ~hidden).astype("float32")], axis=1).astype("float32")

    model = keras.Sequential([keras.Input((2 * len(POLLUTANTS),)), keras.layers.Dense(32, "gelu"), keras.layers.Dense(len(POLLUTANTS))])
    model.compile(keras.optimizers.Adam(1e-2), loss=masked_mse, metrics=[KnownShare()])
    history = model.fit(features, target, batch_size=64, epochs=4, verbose=0)
    for epoch, loss in enumerate(history.history["loss"]):
        print(f"epoch {epoch} loss {loss:.4f} plain mse {np.mean((target - 0.0) ** 2):.4f}")
    filled = np.where(known, target, model.predict(features, verbose=0))
    print("NaN before", int((~known).sum()), "NaN after", int(np.isnan(filled).sum()))
    assert np.isfinite(filled).all() and np.isfinite(history.history["loss"]).all()


if __name__ == "__main__":
    main()
