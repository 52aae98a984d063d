"""Radial power profile of simulated speckle, compiled with XLA."""
import numpy as np
import tensorflow as tf

SIDE = 32


def speckle(seed=0):
    rng = np.random.default_rng(seed)
    field = rng.normal(size=(SIDE, SIDE)) + 1j * rng.normal(size=(SIDE, SIDE))
    return np.abs(np.fft.ifft2(field)).astype("float32")


def radius_index():
    yy, xx = np.indices((SIDE, SIDE)) - SIDE // 2
    return np.sqrt(yy ** 2 + xx ** 2).astype("float32")


RADIUS = tf.constant(radius_index())


@tf.function(jit_compile=True)
def profile(image):
    power = tf.abs(tf.signal.fft2d(tf.cast(image, tf.complex64))) ** 2
    strong = tf.where(power > tf.reduce_mean(power), RADIUS, -1.0)
    counts = tf.histogram_fixed_width(strong, [0.0, SIDE / 2.0], nbins=8)
    return counts, tf.reduce_sum(power)


counts, total = profile(tf.constant(speckle()))
print("strong frequencies per ring:", counts.numpy())
print("total power", float(total))
