import keras
import tensorflow as tf

from coders import build_decoder, build_encoder


class VAE(keras.Model):
    def __init__(self, size, filters, latent, beta):
        super().__init__()
        self.encoder = build_encoder(size, filters, latent)
        self.decoder = build_decoder(size, filters, latent)
        self.beta = beta
        self.trackers = {k: keras.metrics.Mean(name=k) for k in ("total", "reconstruction", "kl")}

    @property
    def metrics(self):
        return list(self.trackers.values())

    def call(self, x):
        return self.decoder(self.encoder(x)[0])

    def elbo_terms(self, x):
        mean, logvar = self.encoder(x)
        z = mean + tf.exp(0.5 * logvar) * tf.random.normal(tf.shape(mean))
        image = self.decoder(z)
        error = tf.square(x - image)
        rec = tf.reduce_mean(tf.reduce_sum(error, axis=[1, 2, 3]))
        kl = -0.5 * tf.reduce_sum(1 + logvar - tf.square(mean) - tf.exp(logvar), axis=1)
        return rec, tf.reduce_mean(kl)

    def train_step(self, x):
        with tf.GradientTape() as tape:
            rec, kl = self.elbo_terms(x)
            total = rec + self.beta * kl
        v = self.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(total, v), v))
        for name, value in zip(("total", "reconstruction", "kl"), (total, rec, kl)):
            self.trackers[name].update_state(value)
        return {m.name: m.result() for m in self.metrics}
