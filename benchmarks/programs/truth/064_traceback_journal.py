"""Journal of rejected experiments with their tracebacks."""
import traceback
import numpy as np
import tensorflow as tf

CANDIDATES = [
    {"kernel": 3, "padding": "SAME"},
    {"kernel": 9, "padding": "VALID"},
    {"kernel": 5, "padding": "SAME"},
    {"kernel": 3, "padding": "REFLECT"},
]


def response(signal, kernel, padding):
    weights = tf.ones([kernel, 1, 1]) / kernel
    return tf.nn.conv1d(signal, weights, stride=1, padding=padding)


def survey(signal):
    results = {}
    for candidate in CANDIDATES:
        try:
            results[str(candidate)] = float(tf.math.reduce_std(response(signal, **candidate)))
        except (ValueError, tf.errors.OpError):
            print("candidate rejected:", candidate)
            traceback.print_exc()
    return results


signal = tf.constant(np.random.default_rng(1).normal(size=(1, 7, 1)), tf.float32)
results = survey(signal)
best = min(results, key=results.get)
print("accepted", len(results), "best", best)
assert len(results) == 2
