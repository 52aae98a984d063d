import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(108)
BATCH, NOISE = 16, 3


class RingGAN(keras.Model):
    def __init__(self):
        super().__init__()
        self.g = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(2)])
        self.d = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(1)])
        self.bce = keras.losses.BinaryCrossentropy(from_logits=True)
        self.g_opt, self.d_opt = keras.optimizers.Adam(), keras.optimizers.Adam()

    def update(self, optimizer, tape, loss, net):
        grads = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(grads, net.trainable_variables))

    def train_step(self, real):
        n = BATCH
        noise = tf.random.normal((tf.shape(real)[0], NOISE))
        labels = tf.concat([tf.ones((n, 1)), tf.zeros((n, 1))], axis=0)
        with tf.GradientTape() as tape:
            both = tf.concat([real, self.g(noise)], axis=0)
            d_loss = self.bce(labels, self.d(both))
        self.update(self.d_opt, tape, d_loss, self.d)
        with tf.GradientTape() as tape:
            verdict = self.d(self.g(noise))
            g_loss = self.bce(tf.ones_like(verdict), verdict)
        self.update(self.g_opt, tape, g_loss, self.g)
        return {"d": d_loss, "g": g_loss}


def ring(n):
    angle = np.random.default_rng(108).uniform(0, 2 * np.pi, n)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype("float32")


points = tf.data.Dataset.from_tensor_slices(ring(71)).batch(BATCH)
gan = RingGAN()
gan.compile()
gan.fit(points, epochs=1, verbose=0)
