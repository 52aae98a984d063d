import keras
from keras import layers


def build_discriminator(base, depth=3):
    """Fully convolutional up to the global pooling, so it takes any image size."""
    img = keras.Input((None, None, 1), name="image")
    x = img
    for k in range(depth):
        x = layers.Conv2D(base * 2 ** k, 4, strides=2, padding="same")(x)
        x = layers.LeakyReLU(negative_slope=0.2)(x)
        x = layers.Dropout(0.2)(x)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(img, layers.Dense(1, name="logit")(x), name="discriminator")
