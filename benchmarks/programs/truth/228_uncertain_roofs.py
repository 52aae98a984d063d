"""Roof area from aerial tiles with Monte-Carlo dropout; the spread between passes is the result."""
import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(21)


def tiles(n):
    g = np.random.default_rng(14)
    img = g.normal(0.3, 0.08, (n, 20, 20, 1)).astype("float32")
    area = np.zeros(n, "float32")
    for k in range(n):
        h, w = g.integers(3, 12, 2)
        y, x = g.integers(0, 20 - h), g.integers(0, 20 - w)
        img[k, y:y + h, x:x + w] += 0.6
        area[k] = h * w / 100
    return img, area


augment = keras.Sequential([keras.layers.RandomFlip("horizontal_and_vertical"), keras.layers.GaussianNoise(0.05)])
net = keras.Sequential([
    keras.Input((20, 20, 1)),
    keras.layers.Conv2D(8, 3, strides=2, activation="relu"),
    keras.layers.Flatten(),
    keras.layers.Dropout(0.3),
    keras.layers.Dense(24, activation="relu"),
    keras.layers.Dropout(0.3),
    keras.layers.Dense(1),
])
opt = keras.optimizers.Adam(3e-3)
opt.build(net.trainable_variables)
x, y = map(tf.constant, tiles(192))


@tf.function(jit_compile=True)
def fit_step(x, y):
    with tf.GradientTape() as tape:
        out = net(augment(x, training=True), training=True)[:, 0]
        loss = tf.reduce_mean(tf.abs(out - y))
    opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
    return loss


@tf.function(jit_compile=True)
def one_pass(x):
    return net(x, training=True)[:, 0]


for _ in range(25):
    loss = fit_step(x, y)
print("mae", float(loss))

compiled = np.stack([one_pass(x[:8]) for _ in range(12)])
eager = np.stack([net(x[:8], training=True)[:, 0] for _ in range(12)])
print("compiled  mean", compiled.mean(0).round(2), " spread", compiled.std(0).round(2))
print("eager     mean", eager.mean(0).round(2), " spread", eager.std(0).round(2))
print("first pass differs by", np.abs(compiled[0] - eager[0]).max().round(3), "as it should")
assert compiled.std(0).min() > 0
