import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

BATCH_SIZE = 16
NOISE_DIM = 20


def make_generator_model():
    model = tf.keras.Sequential(name="generator")
    model.add(layers.Input((NOISE_DIM,)))
    model.add(layers.Dense(7 * 7 * 16, use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((7, 7, 16)))
    model.add(layers.Conv2DTranspose(8, 5, strides=2, padding="same", use_bias=False))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Conv2DTranspose(8, 5, strides=1, padding="same", use_bias=False))
    model.add(layers.LeakyReLU())
    model.add(layers.Conv2D(1, 5, padding="same", activation="tanh"))
    return model


def make_discriminator_model():
    return tf.keras.Sequential([
        layers.Input((28, 28, 1)),
        layers.Conv2D(8, 5, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Dropout(0.3),
        layers.Conv2D(16, 5, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Flatten(),
        layers.Dense(1),
    ], name="discriminator")


generator = make_generator_model()
discriminator = make_discriminator_model()
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)
g_opt = tf.keras.optimizers.Adam(1e-4)
d_opt = tf.keras.optimizers.Adam(1e-4)


def train_step(images):
    noise = tf.random.normal([tf.shape(images)[0], NOISE_DIM])
    with tf.GradientTape() as gt, tf.GradientTape() as dt:
        fake = generator(noise, training=True)
        real_out = discriminator(images, training=True)
        fake_out = discriminator(fake, training=True)
        g_loss = bce(tf.ones_like(fake_out), fake_out)
        d_loss = bce(tf.ones_like(real_out), real_out) + bce(tf.zeros_like(fake_out), fake_out)
    g_opt.apply_gradients(zip(gt.gradient(g_loss, generator.trainable_variables),
                              generator.trainable_variables))
    d_opt.apply_gradients(zip(dt.gradient(d_loss, discriminator.trainable_variables),
                              discriminator.trainable_variables))
    return g_loss, d_loss


digits = np.random.uniform(-1, 1, (48, 28, 28, 1)).astype("float32")
ds = tf.data.Dataset.from_tensor_slices(digits).shuffle(48).batch(BATCH_SIZE)
for images in ds:
    g, d = train_step(images)
print("g %.3f d %.3f" % (g, d))
