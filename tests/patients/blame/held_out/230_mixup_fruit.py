import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras

CLASSES, SIDE, BATCH = 7, 20, 16
gen = np.random.default_rng(64)
fruit = gen.random((64, SIDE, SIDE, 3), dtype="float32")
kind = gen.integers(0, CLASSES, 64)


def beta_sample(n, alpha=0.3):
    g1 = tf.random.gamma([n], alpha)
    g2 = tf.random.gamma([n], alpha)
    return g1 / (g1 + g2 + 1e-6)


def mixup(first, second):
    xa, ya = first
    xb, yb = second
    lam = beta_sample(BATCH)
    lx = tf.reshape(lam, (BATCH, 1, 1, 1))
    ly = tf.reshape(lam, (BATCH, 1))
    return lx * xa + (1 - lx) * xb, ly * ya + (1 - ly) * yb


def normalise(x, y):
    return (x - 0.5) * 2.0, tf.cast(y, tf.float32)


base = tf.data.Dataset.from_tensor_slices((fruit, kind)).map(normalise)
one = base.shuffle(64, seed=1).batch(BATCH, drop_remainder=True)
two = base.shuffle(64, seed=2).batch(BATCH, drop_remainder=True)
mixed = tf.data.Dataset.zip((one, two)).map(mixup)

net = keras.Sequential()
net.add(keras.layers.Conv2D(8, 3, strides=2, activation="relu"))
net.add(keras.layers.BatchNormalization())
net.add(keras.layers.Conv2D(16, 3, strides=2, activation="relu"))
net.add(keras.layers.GlobalAveragePooling2D())
net.add(keras.layers.Dense(CLASSES))
net.compile(
    optimizer=keras.optimizers.SGD(0.05, momentum=0.9),
    loss=keras.losses.CategoricalCrossentropy(from_logits=True, label_smoothing=0.05),
)
net.fit(mixed, epochs=1, verbose=2)
