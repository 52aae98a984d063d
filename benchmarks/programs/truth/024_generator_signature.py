"""Sliding windows of a price series from a Python generator."""
import numpy as np
import tensorflow as tf

WINDOW = 12


def prices(n=60):
    rng = np.random.default_rng(6)
    return 100 + np.cumsum(rng.normal(size=n)).astype("float32")


class WindowSource:
    def __init__(self, series, window):
        self.series = series
        self.window = window

    def __call__(self):
        for start in range(len(self.series) - 1):
            chunk = self.series[start:start + self.window]
            target = self.series[min(start + self.window, len(self.series) - 1)]
            yield chunk / chunk[0] - 1, target / chunk[0] - 1


def dataset(series):
    return tf.data.Dataset.from_generator(
        WindowSource(series, WINDOW),
        output_signature=(tf.TensorSpec([WINDOW], tf.float32), tf.TensorSpec([], tf.float32)),
    )


total, count = 0.0, 0
for window, target in dataset(prices()):
    total += float(tf.reduce_mean(window) - target)
    count += 1
print("mean drift", total / count)
