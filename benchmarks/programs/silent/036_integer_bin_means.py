import numpy as np
import tensorflow as tf

BINS = 8


def photons(n=500, seed=0):
    rng = np.random.default_rng(seed)
    bin_id = rng.integers(0, BINS - 2, n)
    adc = 200 + 30 * bin_id + rng.integers(-10, 10, n)
    return bin_id.astype("int32"), adc.astype("int32")


@tf.function(jit_compile=True)
def bin_level(bin_id, adc):
    hot = tf.one_hot(bin_id, BINS, dtype=tf.int32)
    count = tf.reduce_sum(hot, axis=0)
    total = tf.reduce_sum(hot * adc[:, None], axis=0)
    return total // count, count


def pedestal(levels, count):
    return float(np.mean(levels))


class Calibration:
    def __init__(self):
        self.history = []

    def add(self, seed):
        bin_id, adc = photons(seed=seed)
        levels, count = (v.numpy() for v in bin_level(tf.constant(bin_id), tf.constant(adc)))
        self.history.append(pedestal(levels, count))


cal = Calibration()
for seed in range(5):
    cal.add(seed)
print("mean level per run:", [round(v, 2) for v in cal.history])
print("pedestal %.3f" % np.mean(cal.history))
