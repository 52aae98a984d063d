import keras
import tensorflow as tf


class Policy(keras.Model):
    """Bounded neural state feedback."""

    def __init__(self, n_input, limits, width=24):
        super().__init__()
        self.h1 = keras.layers.Dense(width, activation="tanh")
        self.h2 = keras.layers.Dense(width, activation="tanh")
        self.out = keras.layers.Dense(n_input, kernel_initializer=keras.initializers.RandomNormal(stddev=0.01))
        self.limits = tf.constant(limits, tf.float32)

    def call(self, x):
        return self.limits * tf.tanh(self.out(self.h2(self.h1(x))))
