import keras
from keras import layers


def conv_block(x, filters, name):
    for i in (1, 2):
        x = layers.Conv2D(filters, 3, padding="same", use_bias=False, name=f"{name}_conv{i}")(x)
        x = layers.BatchNormalization(name=f"{name}_bn{i}")(x)
        x = layers.ReLU(name=f"{name}_relu{i}")(x)
    return x


def down(x, filters, name):
    skip = conv_block(x, filters, name)
    return skip, layers.MaxPooling2D(2, name=f"{name}_pool")(skip)


def up(x, skip, filters, name):
    x = layers.UpSampling2D(2, interpolation="bilinear", name=f"{name}_up")(x)
    x = layers.Concatenate(name=f"{name}_cat")([skip, x])
    return conv_block(x, filters, name)


def build_unet(size, base, levels, dropout):
    inp = keras.Input((size, size, 1))
    x, skips = inp, []
    for k in range(levels):
        skip, x = down(x, base * 2 ** k, f"enc{k}")
        skips.append(skip)
    x = conv_block(x, base * 2 ** levels, "bottom")
    x = layers.Dropout(dropout)(x)
    for k in reversed(range(levels)):
        x = up(x, skips[k], base * 2 ** k, f"dec{k}")
    return keras.Model(inp, layers.Conv2D(1, 1, activation="sigmoid")(x), name="unet")
