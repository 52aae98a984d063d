import numpy as np
import keras
from keras import layers, ops

keras.utils.set_random_seed(107)


class Sampling(layers.Layer):
    def __init__(self, **kw):
        super().__init__(**kw)
        self.seed_gen = keras.random.SeedGenerator(107)

    def call(self, inputs):
        mean, log_var = inputs
        eps = keras.random.normal(ops.shape(mean), seed=self.seed_gen)
        return mean + ops.exp(0.5 * log_var) * eps


class Encoder(layers.Layer):
    def __init__(self, hidden, latent):
        super().__init__()
        self.body = layers.Dense(hidden, activation="relu")
        self.mean = layers.Dense(latent, name="mean")
        self.log_var = layers.Dense(hidden, name="log_var")
        self.sample = Sampling()

    def call(self, x):
        h = self.body(x)
        mean, log_var = self.mean(h), self.log_var(h)
        return mean, log_var, self.sample([mean, log_var])


class VAE(keras.Model):
    def __init__(self, n_in, hidden=16, latent=4):
        super().__init__()
        self.encoder = Encoder(hidden, latent)
        self.decoder = keras.Sequential([layers.Dense(hidden, "relu"), layers.Dense(n_in, "sigmoid")])

    def call(self, x):
        mean, log_var, z = self.encoder(x)
        kl = -0.5 * ops.mean(1 + log_var - ops.square(mean) - ops.exp(log_var))
        self.add_loss(0.01 * kl)
        return self.decoder(z)


bits = (np.random.default_rng(107).random((50, 24)) < 0.3).astype("float32")
vae = VAE(24)
vae.compile(optimizer="adam", loss="binary_crossentropy")
vae.fit(bits, bits, batch_size=10, epochs=1, verbose=0)
print(vae.predict(bits[:1], verbose=0).round(2))
