"""Dose regression from lung CT features, with a loss that also matches the histogram of doses."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

CONFIG = {
    "features": 12,
    "bins": 10,
    "range": (0.0, 60.0),
    "hist_weight": 0.1,
    "epochs": 2,
    "fast": True,
}


def cohort(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, CONFIG["features"])).astype("float32")
    w = rng.normal(size=(CONFIG["features"], 1))
    dose = 30 + 6 * np.tanh(x @ w) + rng.normal(0, 1, (n, 1))
    return x, np.clip(dose, *CONFIG["range"]).astype("float32")


def soft_histogram(dose):
    lo, hi = CONFIG["range"]
    centres = tf.linspace(lo, hi, CONFIG["bins"])
    width = (hi - lo) / CONFIG["bins"]
    k = tf.exp(-0.5 * tf.square((dose - centres[None]) / width))
    return tf.reduce_sum(k, 0) / tf.reduce_sum(k)


class DoseLoss(keras.losses.Loss):
    def __init__(self, weight):
        super().__init__(name="dose")
        self.weight = weight

    def call(self, y_true, y_pred):
        point = tf.reduce_mean(tf.abs(y_true - y_pred), -1)
        gap = tf.reduce_sum(tf.abs(soft_histogram(y_true) - soft_histogram(y_pred)))
        return point + self.weight * gap


class Coverage(keras.metrics.Metric):
    """Share of the dose bins that predictions have visited."""

    def __init__(self, name="coverage"):
        super().__init__(name=name)
        self.seen = self.add_weight(shape=(CONFIG["bins"],), initializer="zeros", name="seen")

    def update_state(self, y_true, y_pred, sample_weight=None):
        counts = tf.histogram_fixed_width(y_pred, list(CONFIG["range"]), nbins=CONFIG["bins"])
        self.seen.assign_add(tf.cast(counts, tf.float32))

    def result(self):
        return tf.reduce_mean(tf.cast(self.seen > 0, tf.float32))


def network():
    return keras.Sequential([
        keras.Input((CONFIG["features"],)),
        keras.layers.Dense(24, activation="gelu"),
        keras.layers.LayerNormalization(),
        keras.layers.Dense(1, bias_initializer=keras.initializers.Constant(30.0)),
    ])


def main():
    x, y = cohort(160, 0)
    model = network()
    model.compile(
        optimizer=keras.optimizers.Adam(1e-2),
        loss=DoseLoss(CONFIG["hist_weight"]),
        metrics=[Coverage(), keras.metrics.MeanAbsoluteError(name="mae")],
        jit_compile=CONFIG["fast"],
    )
    history = model.fit(x, y, batch_size=32, epochs=CONFIG["epochs"], verbose=0)
    for key, values in history.history.items():
        print(key, [round(float(v), 4) for v in values])


main()
