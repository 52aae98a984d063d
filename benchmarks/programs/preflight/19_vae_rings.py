import keras
import numpy as np
import tensorflow as tf
from keras import layers, ops

keras.utils.set_random_seed(1234)


class Sampling(layers.Layer):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.seed_generator = keras.random.SeedGenerator(1337)

    def call(self, inputs):
        mean, log_var = inputs
        eps = keras.random.normal(ops.shape(mean), seed=self.seed_generator)
        return mean + ops.exp(0.5 * log_var) * eps


class VAE(keras.Model):
    def __init__(self, encoder, decoder, **kw):
        super().__init__(**kw)
        self.encoder, self.decoder = encoder, decoder
        self.total = keras.metrics.Mean(name="loss")
        self.kl = keras.metrics.Mean(name="kl")

    @property
    def metrics(self):
        return [self.total, self.kl]

    def train_step(self, data):
        with tf.GradientTape() as tape:
            mean, log_var, z = self.encoder(data)
            rec = self.decoder(z)
            rec_loss = ops.mean(ops.sum(ops.square(data - rec), axis=(1, 2, 3)))
            kl = ops.mean(ops.sum(-0.5 * (1 + log_var - ops.square(mean) - ops.exp(log_var)), axis=1))
            loss = rec_loss + 0.1 * kl
        self.optimizer.apply(tape.gradient(loss, self.trainable_weights), self.trainable_weights)
        self.total.update_state(loss)
        self.kl.update_state(kl)
        return {m.name: m.result() for m in self.metrics}


def rings(n):
    r = np.random.default_rng(0)
    yy, xx = np.mgrid[-1:1:16j, -1:1:16j]
    radius = np.sqrt(xx**2 + yy**2)[None]
    return np.exp(-((radius - r.uniform(0.2, 0.8, (n, 1, 1))) ** 2) / 0.02)[..., None].astype("float32")


i = keras.Input((16, 16, 1))
h = layers.Conv2D(8, 3, strides=2, padding="same", activation="relu")(i)
h = layers.Flatten()(h)
m, v = layers.Dense(2)(h), layers.Dense(2)(h)
encoder = keras.Model(i, [m, v, Sampling()([m, v])])
zi = keras.Input((2,))
d = layers.Dense(8 * 8 * 8, activation="relu")(zi)
d = layers.Reshape((8, 8, 8))(d)
decoder = keras.Model(zi, layers.Conv2DTranspose(1, 3, strides=2, padding="same")(d))

vae = VAE(encoder, decoder)
vae.compile(optimizer=keras.optimizers.Adam(2e-3))
vae.fit(rings(290), batch_size=64, epochs=3, verbose=2)
grid = np.stack(np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 3)), -1).reshape(-1, 2)
print("decoded", decoder.predict(grid, verbose=0).shape)
