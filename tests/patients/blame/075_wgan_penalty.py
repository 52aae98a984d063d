import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(106)


def make_critic():
    return keras.Sequential([
        keras.Input((8, 8, 1)),
        layers.Conv2D(8, 3, strides=2, padding="same"),
        layers.LeakyReLU(),
        layers.Flatten(),
        layers.Dense(1),
    ])


def make_generator(latent):
    return keras.Sequential([
        keras.Input((latent,)),
        layers.Dense(4 * 4 * 8, activation="relu"),
        layers.Reshape((4, 4, 8)),
        layers.Conv2DTranspose(1, 4, strides=2, padding="same", activation="sigmoid"),
    ])


class WGANGP(keras.Model):
    def __init__(self, latent=6, weight=10.0):
        super().__init__()
        self.latent, self.weight = latent, weight
        self.critic, self.generator = make_critic(), make_generator(latent)

    def compile(self, c_opt, g_opt):
        super().compile()
        self.c_opt, self.g_opt = c_opt, g_opt

    def gradient_penalty(self, real, fake):
        n = tf.shape(real)[0]
        alpha_shape = (n, 1)
        alpha = tf.random.uniform(alpha_shape)
        mixed = real + alpha * (fake - real)
        with tf.GradientTape() as tape:
            tape.watch(mixed)
            score = self.critic(mixed, training=True)
        g = tape.gradient(score, mixed)
        norm = tf.sqrt(tf.reduce_sum(tf.square(g), axis=[1, 2, 3]) + 1e-12)
        return tf.reduce_mean((norm - 1.0) ** 2)

    def train_step(self, real):
        z = tf.random.normal((tf.shape(real)[0], self.latent))
        with tf.GradientTape(persistent=True) as tape:
            fake = self.generator(z, training=True)
            gap = tf.reduce_mean(self.critic(fake)) - tf.reduce_mean(self.critic(real))
            c_loss = gap + self.weight * self.gradient_penalty(real, fake)
            g_loss = -tf.reduce_mean(self.critic(fake))
        c_vars, g_vars = self.critic.trainable_variables, self.generator.trainable_variables
        self.c_opt.apply_gradients(zip(tape.gradient(c_loss, c_vars), c_vars))
        self.g_opt.apply_gradients(zip(tape.gradient(g_loss, g_vars), g_vars))
        return {"critic": c_loss, "generator": g_loss}


icons = np.random.default_rng(106).random((30, 8, 8, 1)).astype("float32")
gan = WGANGP()
gan.compile(keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3))
gan.fit(icons, batch_size=10, epochs=1, verbose=0)
