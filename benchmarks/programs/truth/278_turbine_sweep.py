"""Learning-rate sweep for a wind-turbine power curve; candidates that diverge are dropped."""
import os

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

import sys

import keras
import numpy as np
import tensorflow as tf


class Divergence(Exception):
    pass


class Watch(keras.callbacks.Callback):
    """Leaves a run as soon as its loss is not finite."""

    def on_train_batch_end(self, batch, logs=None):
        if not np.isfinite(logs["loss"]):
            raise Divergence(f"loss is {logs['loss']} at batch {batch}")


class PowerCurve(keras.layers.Layer):
    def build(self, shape):
        self.cut = self.add_weight(shape=(1,), initializer=keras.initializers.Constant(8.0))
        self.rise = self.add_weight(shape=(1,), initializer=keras.initializers.Constant(0.5))
        self.correction = keras.layers.Dense(1)

    def call(self, x):
        speed = x[:, :1]
        return tf.exp(0.1 * self.correction(x)) / (1.0 + tf.exp(-self.rise * (speed - self.cut)))


def measurements(n, rng):
    speed = rng.weibull(2.0, n) * 9
    density = rng.normal(1.2, 0.05, n)
    power = density / 1.2 / (1 + np.exp(-0.9 * (speed - 9))) + rng.normal(0, 0.02, n)
    return np.stack([speed, density], 1).astype("float32"), power[:, None].astype("float32")


def candidate(rate, data, held):
    keras.utils.set_random_seed(13)
    model = keras.Sequential([keras.Input((2,)), PowerCurve()])
    model.compile(keras.optimizers.SGD(rate), "mse")
    stop = keras.callbacks.EarlyStopping(monitor="val_loss", patience=1, min_delta=1e-3, restore_best_weights=True)
    history = model.fit(*data, validation_data=held, epochs=8, batch_size=50, verbose=0, callbacks=[Watch(), stop])
    return min(history.history["val_loss"]), len(history.history["loss"]), stop.stopped_epoch


def main():
    rng = np.random.default_rng(13)
    data, held = measurements(330, rng), measurements(80, rng)
    results = {}
    for rate in (0.01, 0.3, 1e9):
        try:
            best, epochs, stopped = candidate(rate, data, held)
        except Divergence as e:
            print(f"rate {rate:g}: FAILED ({e})")
            results[rate] = float("nan")
            continue
        results[rate] = best
        note = f"stopped early in epoch {stopped}" if stopped else "ran to the end"
        print(f"rate {rate:g}: validation loss {best:.4f} after {epochs} epochs, {note}")
    usable = {r: v for r, v in results.items() if np.isfinite(v)}
    print("backend", keras.backend.backend(), "results", results)
    if not usable:
        sys.exit("no candidate is usable")
    print("chosen rate", min(usable, key=usable.get))
    return len(usable) - 2


if __name__ == "__main__":
    sys.exit(main())
