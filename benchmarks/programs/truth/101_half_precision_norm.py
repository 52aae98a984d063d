"""Custom normalisation layer in a mixed-precision network."""
import numpy as np
import keras
import tensorflow as tf

keras.mixed_precision.set_global_policy("mixed_float16")
keras.utils.set_random_seed(12)


class RunningNorm(keras.layers.Layer):
    def __init__(self, momentum=0.9, **kw):
        super().__init__(**kw)
        self.momentum = momentum

    def build(self, shape):
        self.center = tf.Variable(tf.zeros([shape[-1]]), trainable=False)
        self.scale = self.add_weight(shape=(shape[-1],), initializer="ones", name="scale")

    def call(self, x, training=False):
        mean = tf.reduce_mean(x, axis=0)
        if training:
            self.center.assign(self.momentum * self.center + (1 - self.momentum) * mean)
        return (x - tf.cast(self.center, x.dtype)) * self.scale


def network():
    return keras.Sequential([
        keras.Input((6,)),
        keras.layers.Dense(12, activation="gelu"),
        RunningNorm(),
        keras.layers.Dense(1, dtype="float32"),
    ])


x = np.random.default_rng(12).normal(size=(64, 6)).astype("float32")
y = np.abs(x[:, :1])
model = network()
print("before training", model.predict(x[:2], verbose=0).shape)
model.compile("adam", "mae")
model.fit(x, y, epochs=1, verbose=0)
print("trained", model.evaluate(x, y, verbose=0))
