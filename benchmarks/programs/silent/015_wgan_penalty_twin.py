import numpy as np
import tensorflow as tf
import keras
from keras import layers

BATCH, SIZE = 8, 8


def digits(n, seed):
    rng = np.random.default_rng(seed)
    img = np.zeros((n, SIZE, SIZE, 1), "float32")
    for i in range(n):
        c = rng.integers(1, SIZE - 1)
        img[i, :, c, 0] = 1.0
        img[i, c, :, 0] += 0.5
    return img + 0.05 * rng.normal(size=img.shape).astype("float32")


critic = keras.Sequential([
    keras.Input((SIZE, SIZE, 1)),
    layers.Conv2D(6, 3, strides=2, padding="same", activation="elu"),
    layers.Flatten(),
    layers.Dense(1),
])
gen = keras.Sequential([keras.Input((4,)), layers.Dense(SIZE * SIZE, activation="sigmoid"), layers.Reshape((SIZE, SIZE, 1))])


def gradient_penalty(real, fake, eps):
    mixed = real + eps * (fake - real)
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        score = critic(mixed, training=True)
    grad = tape.gradient(score, mixed)
    norm = tf.sqrt(tf.reduce_sum(grad ** 2, axis=(1, 2, 3)) + 1e-8)
    return tf.reduce_mean((norm - 1.0) ** 2)


keras.utils.set_random_seed(8)
rng = np.random.default_rng(8)
for m in (critic, gen):
    for v in m.trainable_variables:
        v.assign(rng.normal(0, 0.2, v.shape))
opt = keras.optimizers.Adam(1e-2)
real = digits(64, 1)
for i in range(0, 64, BATCH):
    batch = tf.constant(real[i:i + BATCH])
    fake = gen(tf.constant(rng.normal(size=(BATCH, 4)).astype("float32")))
    eps = tf.constant(rng.uniform(size=(BATCH, 1, 1, 1)).astype("float32"))
    with tf.GradientTape() as tape:
        gp = gradient_penalty(batch, fake, eps)
        loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(batch)) + 10.0 * gp
    opt.apply_gradients(zip(tape.gradient(loss, critic.trainable_variables), critic.trainable_variables))
print("penalty %.5f critic loss %.5f" % (float(gp), float(loss)))
