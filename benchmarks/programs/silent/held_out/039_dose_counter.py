import numpy as np
import tensorflow as tf

LENGTH = 3000


def record(rate=1.0, spikes=0):
    x = np.full(LENGTH, rate, "float16")
    x[:spikes] *= 2
    return x


def running_dose(x):
    return tf.cumsum(x)


live_dose = tf.function(running_dose, jit_compile=True)


class Dosimeter:
    """Reports the dose of a live record in units of the reference."""

    def __init__(self, reference):
        self.total = float(running_dose(tf.constant(reference))[-1])

    def relative(self, x):
        return float(live_dose(tf.constant(x))[-1]) / self.total

    def over_limit(self, x, limit=1.2):
        track = tf.cast(live_dose(tf.constant(x)), tf.float32).numpy() / self.total
        return int((track > limit).sum())


meter = Dosimeter(record())
for name, x in [("idle", record()), ("flare", record(spikes=300)), ("shielded", record(rate=0.5))]:
    print("%-9s relative dose %.3f, samples over limit %d" % (name, meter.relative(x), meter.over_limit(x)))
