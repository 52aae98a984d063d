"""Environmental gradients shared by all islands."""
import numpy as np
import tensorflow as tf

OPTIMA = np.linspace(-1.0, 1.0, 5).astype("float32")
TOLERANCE = tf.constant(0.35)


def fitness(trait, island):
    return tf.exp(-tf.square((trait - OPTIMA[island]) / TOLERANCE))
