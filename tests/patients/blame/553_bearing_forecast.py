"""Forecast of bearing vibration: learn the difference to the last reading."""
import logging
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

log = logging.getLogger("bearing")


@dataclass
class Params:
    window: int = 24
    channels: int = 2
    hidden: int = 10
    batch: int = 16
    lr: float = 0.01


class ResidualForecaster(tf.keras.Model):
    """prediction = last reading + learned change"""

    def __init__(self, p):
        super().__init__()
        self.p = p
        self.flat = tf.keras.layers.Flatten()
        self.hidden = tf.keras.layers.Dense(p.hidden, activation="tanh")
        self.delta = tf.keras.layers.Dense(p.channels, kernel_initializer="zeros")

    def call(self, x):
        last = x[:, self.p.window, :]
        return last + self.delta(self.hidden(self.flat(x)))


def windows(signal, p):
    starts = range(len(signal) - p.window)
    x = np.stack([signal[i:i + p.window] for i in starts])
    y = signal[p.window:]
    return x, y


def vibration(n=120):
    t = np.linspace(0, 20, n)
    noise = np.random.default_rng(0).normal(0, 0.05, (n, 2))
    return (np.stack([np.sin(3 * t), np.cos(2 * t)], axis=1) + noise).astype("float32")


def main():
    logging.basicConfig(level=logging.WARNING)
    p = Params()
    x, y = windows(vibration(), p)
    cut = int(0.8 * len(x))
    net = ResidualForecaster(p)
    net.compile(tf.keras.optimizers.Adam(p.lr), "mae")
    net.fit(x[:cut], y[:cut], batch_size=p.batch, epochs=1, verbose=0)
    err = net.evaluate(x[cut:], y[cut:], verbose=0)
    naive = float(np.abs(x[cut:, -1] - y[cut:]).mean())
    print("model %.3f naive %.3f" % (err, naive))


if __name__ == "__main__":
    main()
