"""Detector trigger sums: only the channels above threshold count, and how many these
are changes from event to event. Everything is compiled; checked against numpy."""
import numpy as np
import tensorflow as tf

CHANNELS = 128


def events(n, seed=3):
    rng = np.random.default_rng(seed)
    for k in range(n):
        charge = rng.exponential(1.0, CHANNELS).astype("float32")
        yield charge, np.float32(0.3 + 0.25 * k)


@tf.function(jit_compile=True)
def trigger(charge, threshold):
    hot = tf.boolean_mask(charge, charge > threshold)
    total = tf.reduce_sum(hot)
    peak = tf.reduce_max(hot)
    rms = tf.sqrt(tf.reduce_mean(tf.square(hot)))
    return total, peak, rms


def reference(charge, threshold):
    hot = charge[charge > threshold]
    return hot.sum(), hot.max(), np.sqrt((hot ** 2).mean())


worst = 0.0
for charge, threshold in events(7):
    got = [float(v) for v in trigger(tf.constant(charge), tf.constant(threshold))]
    want = reference(charge, threshold)
    worst = max(worst, max(abs(g - w) / w for g, w in zip(got, want)))
    print(f"threshold {threshold:.2f}  hot {(charge > threshold).sum():3d}  " + "  ".join(f"{g:8.3f}" for g in got))

print("traces:", trigger.experimental_get_tracing_count(), " worst relative difference %.1e" % worst)
assert worst < 1e-4
