import keras
from keras import layers


def separable(x, filters, rate=1):
    x = layers.SeparableConv2D(filters, 3, padding="same", dilation_rate=rate, use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation("swish")(x)


def build(bands, filters):
    inp = keras.Input((None, None, bands))
    x = separable(inp, filters)
    y = separable(x, filters, rate=2)
    z = separable(y, filters, rate=4)
    x = layers.Concatenate()([x, y, z])
    return keras.Model(inp, layers.Conv2D(1, 1, activation="sigmoid")(x), name="dilated_fcn")
