"""Reproducible training of a small CNN (seeded, deterministic, compiled)."""
import numpy as np
import keras
import tensorflow as tf

SEED = 31


def make_reproducible(seed):
    keras.utils.set_random_seed(seed)
    tf.config.experimental.enable_op_determinism()


def stripes(n=48, side=12):
    rng = np.random.default_rng(SEED)
    horizontal = rng.integers(0, 2, n)
    x = np.zeros((n, side, side, 1), "float32")
    for i, h in enumerate(horizontal):
        k = rng.integers(0, side)
        if h:
            x[i, k] = 1
        else:
            x[i, :, k] = 1
    return x + 0.05 * rng.normal(size=x.shape).astype("float32"), horizontal


make_reproducible(SEED)
x, y = stripes()
model = keras.Sequential([
    keras.Input((12, 12, 1)),
    keras.layers.Conv2D(4, 3, activation="relu"),
    keras.layers.MaxPooling2D(2),
    keras.layers.Flatten(),
    keras.layers.Dense(2, activation="softmax"),
])
optimizer = keras.optimizers.SGD(0.1)
loss_fn = keras.losses.SparseCategoricalCrossentropy()


@tf.function(jit_compile=True)
def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = loss_fn(labels, model(images, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    return loss, gradients


for step in range(3):
    batch = slice(16 * step, 16 * step + 16)
    loss, gradients = train_step(x[batch], y[batch])
    optimizer.apply(gradients, model.trainable_variables)
    print(round(float(loss), 4))
