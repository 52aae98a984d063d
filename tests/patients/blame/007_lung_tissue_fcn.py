import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

tf.random.set_seed(4)
SIZE = 32
N_TISSUES = 3


def synth_scans(n):
    rng = np.random.default_rng(4)
    yy, xx = np.mgrid[:SIZE, :SIZE]
    scans = np.zeros((n, SIZE, SIZE, 1), "float32")
    masks = np.zeros((n, SIZE, SIZE, 1), "int32")
    for i in range(n):
        cy, cx = rng.integers(8, SIZE - 8, 2)
        dist = np.hypot(yy - cy, xx - cx)
        masks[i, dist < 7, 0] = 1
        masks[i, dist < 3, 0] = 2
        scans[i, ..., 0] = masks[i, ..., 0] * .3 + rng.normal(0, .05, (SIZE, SIZE))
    return scans, masks


def encode(masks):
    return tf.one_hot(masks, N_TISSUES).numpy()


def conv(x, filters):
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    return layers.Activation("relu")(x)


def fcn():
    image = layers.Input((SIZE, SIZE, 1))
    d1 = conv(image, 8)
    d2 = conv(layers.MaxPooling2D()(d1), 16)
    up = layers.UpSampling2D()(d2)
    x = conv(layers.Concatenate()([d1, up]), 8)
    return keras.Model(image, layers.Conv2D(N_TISSUES, 1, activation="softmax")(x))


scans, masks = synth_scans(12)
targets = encode(masks)
net = fcn()
net.compile(optimizer="rmsprop", loss="categorical_crossentropy")
net.fit(scans, targets, batch_size=4, epochs=1, verbose=0)
print("mean class", net.predict(scans[:2], verbose=0).argmax(-1).mean())
