import keras
from keras import layers

UPSAMPLINGS = 3


def up_block(x, filters):
    x = layers.Conv2DTranspose(filters, 4, strides=2, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x)


def build_generator(size, latent, base):
    start = size // 4
    width = base * 2 ** UPSAMPLINGS
    z = keras.Input((latent,), name="z")
    x = layers.Dense(start * start * width, use_bias=False)(z)
    x = layers.Reshape((start, start, width))(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
    for k in reversed(range(UPSAMPLINGS)):
        x = up_block(x, base * 2 ** k)
    img = layers.Conv2D(1, 3, padding="same", activation="tanh", name="image")(x)
    return keras.Model(z, img, name="generator")
