"""Cumulative energy of accepted events, with a compiled fast path."""
import numpy as np
import tensorflow as tf


def simulate_events(n=60, seed=8):
    rng = np.random.default_rng(seed)
    energy = rng.exponential(2.0, n).astype("float32")
    quality = rng.random(n).astype("float32")
    return tf.constant(energy), tf.constant(quality)


def accept(energy, quality, threshold):
    return tf.boolean_mask(energy, quality > threshold)


def cumulative(energy, quality):
    accepted = accept(energy, quality, 0.25)
    return tf.cumsum(accepted)


fast = tf.function(cumulative, jit_compile=True)


def total(curve):
    return float(tf.reduce_max(curve)) if curve.shape[0] else 0.0


energy, quality = simulate_events()
curve = fast(energy, quality)
reference = cumulative(energy, quality)
print("events accepted:", curve.shape[0], "of", energy.shape[0])
print("total energy:", round(total(curve), 2))
if curve.shape != reference.shape:
    raise RuntimeError(f"fast path returned {curve.shape}, reference {reference.shape}")
