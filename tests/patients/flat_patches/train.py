"""Train on flat patches; with `fft`, take the spectrum of the bright ones under XLA afterwards, which fails."""

import sys

import numpy as np
import tensorflow as tf

from ptycho.custom_layers import ExtractPatchesPositionLayer

image = tf.keras.Input((12, 12, 1))
positions = tf.keras.Input((1, 2, 4))
flat = ExtractPatchesPositionLayer()(image, positions)
scores = tf.keras.layers.Dense(1)(tf.keras.layers.Flatten()(flat))
outputs = tf.keras.layers.Reshape((4,))(tf.keras.layers.Lambda(lambda s: tf.reshape(s, [-1, 4]))(scores))
model = tf.keras.Model([image, positions], outputs)
model.compile("sgd", "mse")
x = [np.ones((10, 12, 12, 1), "float32"), np.ones((10, 1, 2, 4), "float32")]
model.fit(x, np.zeros((10, 4), "float32"), batch_size=5, verbose=0)
model.predict(x, batch_size=4, verbose=0)

layer = ExtractPatchesPositionLayer()


@tf.function(jit_compile=True)
def spectrum(images, where):
    patches = layer(images, where)[..., 0]
    bright = tf.boolean_mask(patches, tf.reduce_mean(patches, [1, 2]) > 0.5)
    return tf.signal.fft2d(tf.cast(bright, tf.complex64))  # what fails


if "fft" in sys.argv:
    spectrum(*map(tf.constant, x))
