import math

import keras
from keras import layers

from geometry import bottom_shape


def build_encoder(size, filters, latent):
    img = keras.Input((size, size, 1))
    h = img
    for f in filters:
        h = layers.Conv2D(f, 3, strides=2, padding="same", activation="relu")(h)
    h = layers.Flatten()(h)
    h = layers.Dense(48, activation="relu")(h)
    mean = layers.Dense(latent, name="mean")(h)
    logvar = layers.Dense(latent, name="logvar", kernel_initializer="zeros")(h)
    return keras.Model(img, [mean, logvar], name="encoder")


def build_decoder(size, filters, latent):
    shape = bottom_shape(size, filters)
    z = keras.Input((latent,))
    h = layers.Dense(math.prod(shape), activation="relu")(z)
    h = layers.Reshape(shape)(h)
    for f in reversed(filters):
        h = layers.Conv2DTranspose(f, 3, strides=2, padding="same", activation="relu")(h)
    out = layers.Conv2D(1, 3, padding="same", activation="sigmoid")(h)
    return keras.Model(z, out, name="decoder")
