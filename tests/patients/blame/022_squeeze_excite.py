import numpy as np
import tensorflow as tf
from tensorflow.keras import Input, Model, layers

tf.keras.utils.set_random_seed(23)


def se_block(x, ratio, name):
    channels = x.shape[-1]
    gate = layers.GlobalAveragePooling2D(keepdims=True)(x)
    gate = layers.Dense(channels // ratio, activation="relu", name=f"{name}_reduce")(gate)
    gate = layers.Dense(channels // ratio, activation="sigmoid", name=f"{name}_expand")(gate)
    return layers.Multiply(name=f"{name}_scale")([x, gate])


def mbconv(x, filters, expand, name):
    y = layers.Conv2D(x.shape[-1] * expand, 1, use_bias=False)(x)
    y = layers.BatchNormalization()(y)
    y = layers.Activation("swish")(y)
    y = layers.DepthwiseConv2D(3, padding="same", use_bias=False)(y)
    y = se_block(y, ratio=4, name=name + "_se")
    y = layers.Conv2D(filters, 1, use_bias=False)(y)
    return layers.BatchNormalization()(y)


def plankton_net(n_classes):
    image = Input((28, 28, 1))
    x = layers.Conv2D(12, 3, strides=2, padding="same")(image)
    x = mbconv(x, 16, expand=2, name="mb1")
    x = mbconv(x, 20, expand=2, name="mb2")
    x = layers.GlobalAveragePooling2D()(x)
    return Model(image, layers.Dense(n_classes, activation="softmax")(x))


rng = np.random.default_rng(23)
images = rng.random((12, 28, 28, 1), dtype="float32")
kinds = rng.integers(0, 3, 12)
net = plankton_net(3)
net.compile("adam", "sparse_categorical_crossentropy")
net.fit(images, kinds, epochs=1, batch_size=6, verbose=0)
