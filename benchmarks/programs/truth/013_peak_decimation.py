"""Pick peaks of an ECG-like trace and keep every second one (compiled)."""
import numpy as np
import tensorflow as tf


def synth_trace(n=400, seed=3):
    rng = np.random.default_rng(seed)
    t = np.arange(n)
    return (np.exp(-((t % 50) - 25) ** 2 / 8.0) + 0.02 * rng.normal(size=n)).astype("float32")


def is_peak(x):
    left = x[1:-1] > x[:-2]
    right = x[1:-1] > x[2:]
    return left & right & (x[1:-1] > 0.5)


@tf.function(jit_compile=True)
def every_second_peak(x):
    heights = tf.boolean_mask(x[1:-1], is_peak(x))
    return heights[::2]


@tf.function
def rms(x):
    return tf.sqrt(tf.reduce_mean(x * x))


if __name__ == "__main__":
    trace = tf.constant(synth_trace())
    print("rms", float(rms(trace)))
    kept = every_second_peak(trace)
    print("kept", kept.shape, float(tf.reduce_mean(kept)))
