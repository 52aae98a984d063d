"""A small VAE on mineral spectra; the weight of the KL term is warmed up by epochs."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers


class SpectralVAE(keras.Model):
    def __init__(self, bands, latent=3, beta=0.0, **kw):
        super().__init__(**kw)
        self.enc = keras.Sequential([layers.Dense(24, activation="relu"), layers.Dense(2 * latent)])
        self.dec = keras.Sequential([layers.Dense(24, activation="relu"), layers.Dense(bands)])
        self.beta = beta
        self.seed = keras.random.SeedGenerator(3)
        self.trackers = {k: keras.metrics.Mean(name=k) for k in ("loss", "kl", "beta")}

    @property
    def metrics(self):
        return list(self.trackers.values())

    def train_step(self, x):
        with tf.GradientTape() as tape:
            mean, logvar = tf.split(self.enc(x), 2, axis=-1)
            z = mean + tf.exp(0.5 * logvar) * keras.random.normal(tf.shape(mean), seed=self.seed)
            rec = tf.reduce_sum(tf.square(self.dec(z) - x), axis=1)
            kl = -0.5 * tf.reduce_sum(1.0 + logvar - tf.square(mean) - tf.exp(logvar), axis=1)
            loss = tf.reduce_mean(rec + self.beta * kl)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        for name, value in (("loss", loss), ("kl", kl), ("beta", self.beta)):
            self.trackers[name].update_state(value)
        return {m.name: m.result() for m in self.metrics}


class WarmUp(keras.callbacks.Callback):
    def __init__(self, epochs, top=1.0):
        super().__init__()
        self.epochs, self.top, self.asked = epochs, top, []

    def on_epoch_begin(self, epoch, logs=None):
        self.model.beta = self.top * min(1.0, epoch / self.epochs)
        self.asked.append(self.model.beta)


def spectra(count, bands, seed):
    rng = np.random.default_rng(seed)
    grid = np.linspace(0, 1, bands)
    centre = rng.uniform(0.2, 0.8, (count, 1))
    return np.exp(-((grid - centre) ** 2) / 0.02).astype("float32")


def main():
    keras.utils.set_random_seed(12)
    x = spectra(256, 30, seed=1)
    vae = SpectralVAE(bands=30)
    vae.compile(keras.optimizers.Adam(3e-3))
    warm = WarmUp(epochs=4)
    hist = vae.fit(x, batch_size=32, epochs=6, callbacks=[warm], verbose=0)
    print("beta asked", np.round(warm.asked, 2).tolist())
    print("beta used ", np.round(hist.history["beta"], 2).tolist())
    print("kl        ", np.round(hist.history["kl"], 2).tolist())


if __name__ == "__main__":
    main()
