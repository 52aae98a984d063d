import keras
from keras import layers


def ds_conv(x, filters, stride=1):
    x = layers.DepthwiseConv2D(3, padding="same", strides=stride, use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
    x = layers.Conv2D(filters, 1, use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.ReLU()(x)


def build(s):
    inp = keras.Input((s.n_frames, s.n_mels), name="logmel")
    x = layers.Reshape((s.n_frames, s.n_mels, 1))(inp)
    x = layers.Conv2D(16, (5, 4), strides=2, padding="same", activation="relu")(x)
    x = ds_conv(x, 16)
    x = ds_conv(x, 24, stride=2)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.1)(x)
    out = layers.Dense(s.n_classes)(x)
    return keras.Model(inp, out, name="dscnn")
