import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(66)
LATENT = 10

generator = keras.Sequential([
    keras.Input((LATENT,)),
    keras.layers.Dense(7 * 7 * 16, activation="relu"),
    keras.layers.Reshape((7, 7, 16)),
    keras.layers.Conv2DTranspose(8, 5, strides=2, activation="relu"),
    keras.layers.BatchNormalization(),
    keras.layers.Conv2DTranspose(1, 5, strides=2, padding="same", activation="tanh"),
], name="generator")

discriminator = keras.Sequential([
    keras.Input((28, 28, 1)),
    keras.layers.Conv2D(8, 5, strides=2, padding="same"),
    keras.layers.LeakyReLU(0.2),
    keras.layers.Dropout(0.3),
    keras.layers.Flatten(),
    keras.layers.Dense(1),
], name="discriminator")

bce = keras.losses.BinaryCrossentropy(from_logits=True)
g_opt, d_opt = keras.optimizers.Adam(1e-4), keras.optimizers.Adam(1e-4)


def train_step(real):
    z = tf.random.normal((len(real), LATENT))
    with tf.GradientTape() as gt, tf.GradientTape() as dt:
        fake = generator(z, training=True)
        real_score = discriminator(real, training=True)
        fake_score = discriminator(fake, training=True)
        g_loss = bce(tf.ones_like(fake_score), fake_score)
        d_loss = bce(tf.ones_like(real_score), real_score) + bce(tf.zeros_like(fake_score), fake_score)
    g_opt.apply_gradients(zip(gt.gradient(g_loss, generator.trainable_variables), generator.trainable_variables))
    d_opt.apply_gradients(zip(dt.gradient(d_loss, discriminator.trainable_variables), discriminator.trainable_variables))
    return float(g_loss), float(d_loss)


images = np.random.default_rng(66).uniform(-1, 1, (16, 28, 28, 1)).astype("float32")
for step in range(2):
    print(step, train_step(images[step * 8:(step + 1) * 8]))
