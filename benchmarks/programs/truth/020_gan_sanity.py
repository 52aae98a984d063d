"""One-dimensional GAN with a check after each epoch."""
import numpy as np
import keras
import tensorflow as tf

keras.utils.set_random_seed(0)


def mlp(out, act=None):
    return keras.Sequential([keras.layers.Dense(16, "relu"), keras.layers.Dense(out, act)])


class GAN:
    def __init__(self, lr):
        self.g, self.d = mlp(1), mlp(1)
        self.g_opt, self.d_opt = keras.optimizers.SGD(lr), keras.optimizers.SGD(lr)

    def step(self, real):
        noise = tf.random.normal([len(real), 4])
        with tf.GradientTape(persistent=True) as tape:
            fake = self.g(noise)
            d_real, d_fake = self.d(real), self.d(fake)
            d_loss = tf.reduce_mean((d_real - 1) ** 2) + tf.reduce_mean(d_fake ** 2)
            g_loss = tf.reduce_mean((d_fake - 1) ** 2)
        self.d_opt.apply(tape.gradient(d_loss, self.d.trainable_variables), self.d.trainable_variables)
        self.g_opt.apply(tape.gradient(g_loss, self.g.trainable_variables), self.g.trainable_variables)
        return float(d_loss), float(g_loss)


def train(gan, data, epochs, batch=32):
    for epoch in range(epochs):
        losses = [gan.step(data[i:i + batch]) for i in range(0, len(data), batch)]
        d, g = np.mean(losses, axis=0)
        assert np.isfinite([d, g]).all(), f"epoch {epoch}: losses {d}, {g}"
        print(f"epoch {epoch} d {d:.3f} g {g:.3f}")


samples = np.random.default_rng(1).normal(300.0, 20.0, size=(128, 1)).astype("float32")
train(GAN(lr=0.5), samples, epochs=4)
