import numpy as np
import tensorflow as tf
import keras
from keras import layers

DRAWS = 5


class SmallVAE(keras.Model):
    def __init__(self, latent=3, pixels=36):
        super().__init__()
        self.enc = keras.Sequential([layers.Dense(24, activation="relu"), layers.Dense(2 * latent)])
        self.dec = keras.Sequential([layers.Dense(24, activation="relu"), layers.Dense(pixels, activation="sigmoid")])
        self.noise = keras.random.SeedGenerator(3)
        self.loss_tracker = keras.metrics.Mean(name="loss")

    def call(self, x):
        mean, _ = tf.split(self.enc(x), 2, axis=-1)
        return self.dec(mean)

    def train_step(self, x):
        with tf.GradientTape() as tape:
            mean, logvar = tf.split(self.enc(x), 2, axis=-1)
            mean_k = tf.repeat(mean, DRAWS, axis=0)
            std_k = tf.repeat(tf.exp(0.5 * logvar), DRAWS, axis=0)
            z = mean_k + std_k * keras.random.normal(tf.shape(mean_k), seed=self.noise)
            target = tf.repeat(x, DRAWS, axis=0)
            rec = tf.reduce_sum(tf.square(target - self.dec(z)), axis=-1)
            kl = -0.5 * tf.reduce_sum(1 + logvar - mean ** 2 - tf.exp(logvar), axis=-1)
            loss = tf.reduce_mean(rec) + 0.1 * tf.reduce_mean(kl)
        grads = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(grads, self.trainable_variables))
        self.loss_tracker.update_state(loss)
        return {"loss": self.loss_tracker.result()}


keras.utils.set_random_seed(12)
rng = np.random.default_rng(12)
img = np.zeros((80, 6, 6), "float32")
for i in range(80):
    img[i, rng.integers(6)] = 1.0
x = img.reshape(80, 36)
vae = SmallVAE()
vae.compile(optimizer=keras.optimizers.Adam(0.01))
vae.fit(x, epochs=12, batch_size=20, verbose=0)
rec = vae.predict(x, verbose=0)
print("mean squared reconstruction error %.4f" % np.mean((rec - x) ** 2))
