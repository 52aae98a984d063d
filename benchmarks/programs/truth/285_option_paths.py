"""Monte-Carlo prices of a book of Asian call options, compiled with XLA.

All contracts are priced in one call; they differ in the number of monitoring dates.
"""
import time

import numpy as np
import tensorflow as tf

BOOK = [
    # spot, strike, rate, vol, years, monitoring dates
    (100.0, 100.0, 0.02, 0.20, 1.0, 12),
    (100.0, 110.0, 0.02, 0.25, 1.0, 52),
    (80.0, 75.0, 0.01, 0.30, 0.5, 26),
    (80.0, 90.0, 0.01, 0.30, 2.0, 24),
]
PATHS = 4096


def brownian(paths, dates, dt, seed):
    z = tf.random.stateless_normal(tf.stack([paths, dates]), seed=seed)
    return tf.cumsum(z, axis=1) * tf.sqrt(dt)


def average_price(spot, rate, vol, dt, w):
    n = tf.shape(w)[1]
    t = dt * tf.cast(tf.range(1, n + 1), tf.float32)
    s = spot * tf.exp((rate - 0.5 * vol * vol) * t[None, :] + vol * w)
    return tf.reduce_mean(s, axis=1)


def one_contract(terms, dates, seed):
    spot, strike, rate, vol, years = tf.unstack(terms)
    dt = years / tf.cast(dates, tf.float32)
    avg = average_price(spot, rate, vol, dt, brownian(PATHS, dates, dt, seed))
    payoff = tf.exp(-rate * years) * tf.nn.relu(avg - strike)
    return tf.stack([tf.reduce_mean(payoff), tf.math.reduce_std(payoff) / np.sqrt(PATHS)])


@tf.function(jit_compile=True)
def price_book(terms, dates, seed):
    count = terms.shape[0]
    out = tf.TensorArray(tf.float32, size=count, element_shape=[2])
    for k in tf.range(count):
        sub = seed + tf.stack([k, 0])
        out = out.write(k, one_contract(terms[k], dates[k], sub))
    return out.stack()


class Book:
    def __init__(self, rows):
        table = np.array(rows, "float32")
        self.terms = tf.Variable(table[:, :5], name="terms")
        self.dates = tf.constant(table[:, 5].astype("int32"))

    def prices(self, seed):
        return price_book(self.terms, self.dates, seed)

    def deltas(self, seed, bump=0.5):
        """Bump and reprice with common random numbers."""
        base = self.prices(seed)[:, 0]
        shift = np.zeros(self.terms.shape, "float32")
        shift[:, 0] = bump
        self.terms.assign_add(shift)
        up = self.prices(seed)[:, 0]
        self.terms.assign_sub(shift)
        return (up - base) / bump


def main():
    tf.random.set_seed(0)
    book = Book(BOOK)
    seed = tf.constant([20, 17], tf.int32)
    start = time.perf_counter()
    prices = book.prices(seed).numpy()
    print(f"first call {1000 * (time.perf_counter() - start):.0f} ms")
    deltas = book.deltas(seed).numpy()
    for row, (p, err), d in zip(BOOK, prices, deltas):
        print(f"strike {row[1]:6.1f}  {row[5]:3d} dates  {p:8.4f} +- {err:.4f}  delta {d:.3f}")


if __name__ == "__main__":
    main()
