import numpy as np
import tensorflow as tf
import keras
from keras import layers

BATCH, DIM = 32, 10


class DenoisingAutoencoder(keras.Model):
    def __init__(self, sigma=0.8):
        super().__init__()
        self.sigma = sigma
        self.np_rng = np.random.default_rng(1)
        self.tf_rng = keras.random.SeedGenerator(1)
        self.enc = layers.Dense(32, activation="relu")
        self.dec = layers.Dense(DIM)

    def call(self, x):
        return self.dec(self.enc(x))

    def train_step(self, x):
        noise = self.np_rng.normal(0, self.sigma, (BATCH, DIM)).astype("float32")
        with tf.GradientTape() as tape:
            rec = self(x + noise, training=True)
            loss = tf.reduce_mean(tf.square(rec - x))
        self.optimizer.apply_gradients(zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables))
        return {"batch_loss": loss}


def manifold(n, seed):
    rng = np.random.default_rng(seed)
    basis = np.random.default_rng(99).normal(size=(2, DIM))
    return (rng.normal(size=(n, 2)) @ basis).astype("float32")


keras.utils.set_random_seed(46)
x, xt = manifold(BATCH * 6, 0), manifold(200, 1)
model = DenoisingAutoencoder()
model(x[:1])
model.compile(optimizer=keras.optimizers.Adam(0.015), jit_compile=True)
model.fit(x, epochs=25, batch_size=BATCH, verbose=0)
noisy = xt + np.random.default_rng(3).normal(0, 0.8, xt.shape).astype("float32")
clean = model.predict(noisy, verbose=0)
print("error before %.4f after %.4f" % (np.mean((noisy - xt) ** 2), np.mean((clean - xt) ** 2)))
