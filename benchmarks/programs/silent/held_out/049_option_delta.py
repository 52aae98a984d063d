import numpy as np
import tensorflow as tf

STRIKE, RATE, VOL, YEARS = 100.0, 0.02, 0.2, 1.0
PATHS, STEPS = 4000, 12


def simulate(spot, seed):
    dt = YEARS / STEPS
    z = tf.random.stateless_normal((PATHS, STEPS), seed=seed)
    growth = (RATE - 0.5 * VOL ** 2) * dt + VOL * np.sqrt(dt) * z
    return spot * tf.exp(tf.reduce_sum(growth, axis=1))


def call_price(spot, seed):
    payoff = tf.maximum(simulate(spot, seed) - STRIKE, 0.0)
    return np.exp(-RATE * YEARS) * tf.reduce_mean(payoff)


fast_price = tf.function(call_price, jit_compile=True)


class Greeks:
    def __init__(self, bump=0.05, seed=(1, 2)):
        self.bump, self.seed = bump, tf.constant(seed)

    def delta(self, spot):
        base = float(call_price(tf.constant(spot), self.seed))
        up = float(fast_price(tf.constant(spot + self.bump), self.seed))
        return (up - base) / self.bump

    def hedge(self, spots):
        return [round(self.delta(s), 4) for s in spots]


book = Greeks()
deltas = book.hedge([90.0, 100.0, 110.0])
print("deltas:", deltas)
print("shares to hold: %.1f" % (100 * sum(deltas)))
