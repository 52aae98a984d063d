import numpy as np
import tensorflow as tf
import keras
from keras import layers


class Sampling(layers.Layer):
    def call(self, inputs):
        mean, log_var = inputs
        eps = tf.random.normal(tf.shape(mean))
        return mean + tf.exp(0.5 * log_var) * eps


def build_encoder(latent):
    x = inp = keras.Input((28, 28, 1))
    x = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2D(16, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Flatten()(x)
    x = layers.Dense(16, activation="relu")(x)
    mean = layers.Dense(latent)(x)
    log_var = layers.Dense(latent)(x)
    return keras.Model(inp, [mean, log_var, Sampling()([mean, log_var])])


def build_decoder(latent):
    x = inp = keras.Input((latent,))
    x = layers.Dense(7 * 7 * 16, activation="relu")(x)
    x = layers.Reshape((7, 7, 16))(x)
    x = layers.Conv2DTranspose(16, 3, strides=2, padding="same", activation="relu")(x)
    x = layers.Conv2DTranspose(8, 3, strides=2, padding="same", activation="relu")(x)
    out = layers.Conv2DTranspose(1, 3, activation="sigmoid")(x)
    return keras.Model(inp, out)


class VAE(keras.Model):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder, self.decoder = encoder, decoder
        self.tracker = keras.metrics.Mean(name="loss")

    @property
    def metrics(self):
        return [self.tracker]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var, z = self.encoder(data)
            rec = self.decoder(z)
            rec_loss = tf.reduce_mean(tf.reduce_sum(tf.square(data - rec), axis=(1, 2, 3)))
            kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - mean ** 2 - tf.exp(log_var), axis=1))
            total = rec_loss + kl
        grads = tape.gradient(total, self.trainable_weights)
        self.optimizer.apply_gradients(zip(grads, self.trainable_weights))
        self.tracker.update_state(total)
        return {"loss": self.tracker.result()}


vae = VAE(build_encoder(2), build_decoder(2))
vae.compile(optimizer=keras.optimizers.Adam())
vae.fit(np.random.rand(64, 28, 28, 1).astype("float32"), epochs=1, batch_size=32, verbose=2)
