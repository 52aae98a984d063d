"""Learning-rate sweep for a small regressor of concrete compressive strength.

Every trial gets the same number of epochs; trials are ranked by validation RMSE.
"""
import argparse
import math
import time

import numpy as np
import tensorflow as tf
from tensorflow import keras

FEATURES = ["cement", "slag", "ash", "water", "plasticizer", "coarse", "fine", "age"]


def make_table(rows, seed):
    rng = np.random.default_rng(seed)
    lo = np.array([100, 0, 0, 120, 0, 800, 590, 1], "float32")
    hi = np.array([540, 360, 200, 250, 32, 1150, 990, 365], "float32")
    x = rng.uniform(lo, hi, size=(rows, len(FEATURES))).astype("float32")
    strength = (
        0.11 * x[:, 0] + 0.09 * x[:, 1] + 0.07 * x[:, 2] - 0.17 * x[:, 3]
        + 0.3 * x[:, 4] + 7.5 * np.log1p(x[:, 7]) + rng.normal(0, 3.0, rows)
    )
    return x, strength.astype("float32")[:, None]


def build(width, norm, lr):
    inp = keras.Input((len(FEATURES),), name="mix")
    h = norm(inp)
    h = keras.layers.Dense(width, activation="relu")(h)
    h = keras.layers.Dense(width, activation="relu")(h)
    out = keras.layers.Dense(1, name="mpa")(h)
    model = keras.Model(inp, out)
    model.compile(
        optimizer=keras.optimizers.SGD(lr),
        loss="mse",
        metrics=[keras.metrics.RootMeanSquaredError(name="rmse")],
    )
    return model


class GiveUp(keras.callbacks.Callback):
    """Ends a trial as soon as its loss is no longer a number."""

    def __init__(self):
        super().__init__()
        self.gave_up = None

    def on_train_batch_end(self, batch, logs=None):
        loss = (logs or {}).get("loss")
        if loss is not None and not math.isfinite(loss):
            self.gave_up = batch
            self.model.stop_training = True


def run_trial(lr, args, norm, train, val):
    keras.utils.set_random_seed(args.seed)
    model = build(args.width, norm, lr)
    watch = GiveUp()
    began = time.perf_counter()
    hist = model.fit(
        *train, validation_data=val, epochs=args.epochs, batch_size=64,
        callbacks=[watch, keras.callbacks.TerminateOnNaN()], verbose=0,
    )
    took = time.perf_counter() - began
    rmse = hist.history["val_rmse"][-1]
    if watch.gave_up is not None or not np.isfinite(rmse):
        print(f"  lr={lr:<8g} DIVERGED at batch {watch.gave_up}: loss=nan, trial dropped ({took:.1f}s)")
        return None
    print(f"  lr={lr:<8g} val_rmse={rmse:6.2f} MPa ({took:.1f}s)")
    return rmse, model


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--width", type=int, default=32)
    ap.add_argument("--epochs", type=int, default=4)
    ap.add_argument("--seed", type=int, default=11)
    args = ap.parse_args()

    train = make_table(1600, 1)
    val = make_table(400, 2)
    test = make_table(400, 3)
    norm = keras.layers.Normalization()
    norm.adapt(train[0])

    print("sweep over learning rates")
    results = {}
    for lr in (1e-4, 1e-3, 1.0, 50.0):
        done = run_trial(lr, args, norm, train, val)
        if done is None:
            continue
        results[lr] = done

    failed = 4 - len(results)
    best = min(results, key=lambda k: results[k][0])
    rmse = results[best][1].evaluate(*test, verbose=0, return_dict=True)["rmse"]
    print(f"{failed} of 4 trials failed to converge (nan), best lr {best:g}, test rmse {rmse:.2f} MPa")
    assert np.isfinite(rmse)


if __name__ == "__main__":
    main()
