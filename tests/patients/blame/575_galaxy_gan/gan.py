import keras
import tensorflow as tf


class GAN:
    def __init__(self, generator, discriminator, latent, lr_g, lr_d):
        self.g, self.d, self.latent = generator, discriminator, latent
        self.opt_g = keras.optimizers.Adam(lr_g, beta_1=0.5)
        self.opt_d = keras.optimizers.Adam(lr_d, beta_1=0.5)
        self.bce = keras.losses.BinaryCrossentropy(from_logits=True)

    def noise(self, n):
        return tf.random.normal([n, self.latent])

    def update_d(self, real):
        n = real.shape[0]
        fake = self.g(self.noise(n), training=True)
        with tf.GradientTape() as tape:
            logits = self.d(tf.concat([real, fake], axis=0), training=True)
            labels = tf.concat([0.9 * tf.ones([n, 1]), tf.zeros([n, 1])], axis=0)
            loss = self.bce(labels, logits)
        v = self.d.trainable_variables
        self.opt_d.apply_gradients(zip(tape.gradient(loss, v), v))
        return loss

    def update_g(self, n):
        with tf.GradientTape() as tape:
            logits = self.d(self.g(self.noise(n), training=True), training=True)
            loss = self.bce(tf.ones_like(logits), logits)
        v = self.g.trainable_variables
        self.opt_g.apply_gradients(zip(tape.gradient(loss, v), v))
        return loss
