"""Learning-rate range test for the corrosion regressor, then a short training run.

The range test raises the rate each batch until the loss blows up.  A blow-up is how
the test ends; only a test that never blows up is suspicious.
"""
import logging
import sys

import numpy as np
import tensorflow as tf
from tensorflow import keras

logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
log = logging.getLogger("corrosion")


def coupons(n=1024, seed=11):
    """Exposure (pH, temperature, chloride, days) and mass loss of steel coupons."""
    rng = np.random.default_rng(seed)
    ph = rng.uniform(3, 9, n)
    temp = rng.uniform(5, 60, n)
    chloride = rng.lognormal(0, 0.8, n)
    days = rng.integers(10, 400, n)
    loss = 0.02 * (10 - ph) * np.exp(temp / 70) * np.sqrt(days) * (1 + 0.3 * chloride)
    x = np.stack([ph, temp, chloride, days], axis=1)
    x = (x - x.mean(0)) / x.std(0)
    y = (loss - loss.mean()) / loss.std()
    return x.astype("float32"), y.astype("float32")[:, None]


def build():
    keras.utils.set_random_seed(5)
    return keras.Sequential([
        keras.Input((4,)),
        keras.layers.Dense(48, activation="relu"),
        keras.layers.Dense(48, activation="relu"),
        keras.layers.Dense(1),
    ])


class BlownUp(Exception):
    """The loss is no longer finite; the test is over."""


class RangeTest(keras.callbacks.Callback):
    def __init__(self, low=1e-4, high=1e6, steps=128, blow_up=4.0):
        super().__init__()
        self.factor = (high / low) ** (1.0 / steps)
        self.low, self.blow_up = low, blow_up
        self.rates, self.losses = [], []

    def on_train_begin(self, logs=None):
        self.model.optimizer.learning_rate.assign(self.low)

    def on_train_batch_end(self, batch, logs=None):
        rate = float(self.model.optimizer.learning_rate)
        loss = float(logs["loss"])
        self.rates.append(rate)
        self.losses.append(loss)
        if not np.isfinite(loss) or loss > self.blow_up * min(self.losses):
            if not np.isfinite(loss):
                log.error("loss is %s at rate %.3g", loss, rate)
                raise BlownUp(rate)
        self.model.optimizer.learning_rate.assign(rate * self.factor)

    def pick(self):
        smooth = np.convolve(self.losses, np.ones(5) / 5, mode="valid")
        good = np.where(np.isfinite(smooth), smooth, np.inf)
        return self.rates[int(np.argmin(good))] / 10


def find_rate(x, y):
    model = build()
    model.compile(keras.optimizers.SGD(1e-4, momentum=0.9), "mse")
    test = RangeTest()
    try:
        model.fit(x, y, batch_size=32, epochs=4, verbose=0, callbacks=[test])
    except BlownUp as stop:
        log.info("range test stopped at %.3g after %d batches, discarding its weights", stop.args[0], len(test.rates))
    weights_ok = all(np.isfinite(w).all() for w in model.get_weights())
    print("weights of the range test finite:", weights_ok)
    return test.pick()


def main():
    x, y = coupons()
    rate = find_rate(x, y)
    print(f"chosen rate {rate:.2e}")
    model = build()
    model.compile(keras.optimizers.SGD(rate, momentum=0.9), "mse")
    hist = model.fit(x[:800], y[:800], validation_data=(x[800:], y[800:]), epochs=6, batch_size=32, verbose=0)
    print("val mse", [round(v, 3) for v in hist.history["val_loss"]])
    if hist.history["val_loss"][-1] > 0.5:
        raise SystemExit("the chosen rate does not train")
    print("trained")


if __name__ == "__main__":
    main()
