import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers


class Sample(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        return mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))


def encoder_decoder(size, latent):
    q = size // 4
    img = keras.Input((size, size, 1))
    x = layers.Conv2D(8, 3, 2, padding="same", activation="relu")(img)
    x = layers.Conv2D(12, 3, 2, padding="same", activation="relu")(x)
    x = layers.Dense(24, activation="relu")(layers.Flatten()(x))
    mean, log_var = layers.Dense(latent)(x), layers.Dense(latent)(x)
    enc = keras.Model(img, [mean, log_var, Sample()([mean, log_var])])
    z = keras.Input((latent,))
    x = layers.Reshape((q, q, 12))(layers.Dense(q * q * 12, activation="relu")(z))
    x = layers.Conv2DTranspose(12, 3, 2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(1, 3, 2, padding="same", activation="sigmoid")(x)
    return enc, keras.Model(z, x)


class WaferVAE(keras.Model):
    def __init__(self, size=16, latent=3, beta=0.5):
        super().__init__()
        self.enc, self.dec = encoder_decoder(size, latent)
        self.beta = beta
        self.track = {k: keras.metrics.Mean(k) for k in ("rec", "kl")}

    def terms(self, x):
        mean, log_var, z = self.enc(x)
        y = self.dec(z)
        bce = keras.losses.binary_crossentropy(x, y)
        rec = tf.reduce_mean(tf.reduce_sum(bce, axis=(1, 2, 3)))
        kl = -0.5 * (1 + log_var - tf.square(mean) - tf.exp(log_var))
        return rec, tf.reduce_mean(tf.reduce_sum(kl, axis=1))

    def train_step(self, x):
        with tf.GradientTape() as tape:
            rec, kl = self.terms(x)
            total = rec + self.beta * kl
        grads = tape.gradient(total, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.track["rec"].update_state(rec)
        self.track["kl"].update_state(kl)
        return {k: m.result() for k, m in self.track.items()}


rng = np.random.default_rng(2)
yy, xx = np.mgrid[-1:1:16j, -1:1:16j]
disc = (yy**2 + xx**2 < 1)[None, ..., None]
maps = (disc * (rng.random((48, 16, 16, 1)) < 0.2)).astype("float32")

vae = WaferVAE()
vae.compile(optimizer="adam")
vae.fit(maps, batch_size=16, epochs=1, verbose=0)
print(vae.dec(tf.zeros((1, 3))).shape)
