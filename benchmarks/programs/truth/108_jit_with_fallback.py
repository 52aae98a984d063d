"""Compile what can be compiled and run the rest as plain graphs."""
import numpy as np
import tensorflow as tf


class Accelerated:
    """Call a function with XLA and fall back when it cannot be compiled."""

    refused = {}

    def __init__(self, function):
        self.name = function.__name__
        self.fast = tf.function(function, jit_compile=True)
        self.plain = tf.function(function)

    def __call__(self, *args):
        if self.name not in self.refused:
            try:
                return self.fast(*args)
            except (tf.errors.InvalidArgumentError, tf.errors.UnimplementedError) as error:
                self.refused[self.name] = str(error).splitlines()[0][:60]
        return self.plain(*args)


@Accelerated
def normalise(x):
    return (x - tf.reduce_mean(x)) / tf.math.reduce_std(x)


@Accelerated
def histogram(x):
    return tf.histogram_fixed_width(x, [-3.0, 3.0], nbins=6)


@Accelerated
def log_volume(x):
    return tf.math.log(tf.linalg.det(tf.matmul(x, x, transpose_a=True)))


x = tf.constant(np.random.default_rng(0).normal(size=(30, 3)), tf.float32)
z = normalise(x)
print("histogram", histogram(z).numpy(), "log volume", round(float(log_volume(x)), 3))
for name, reason in Accelerated.refused.items():
    print("not compiled:", name, "-", reason)
assert set(Accelerated.refused) == {"histogram", "log_volume"}
