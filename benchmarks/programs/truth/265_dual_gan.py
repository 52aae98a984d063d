"""Two small GANs on one-dimensional mixtures, trained side by side to compare generator widths."""
import numpy as np
import tensorflow as tf
from tensorflow import keras

LATENT = 6
BATCH = 32
STEPS = 12


def dense(width, activation=None):
    return keras.layers.Dense(width, activation=activation)


def make_generator(width):
    return keras.Sequential([keras.Input((LATENT,)), dense(width, "relu"), dense(width, "relu"), dense(1)])


def make_critic(width):
    return keras.Sequential([keras.Input((1,)), dense(width, "leaky_relu"), dense(width, "leaky_relu"), dense(1)])


def mixture(n, rng):
    centres = np.array([-2.0, 0.5, 3.0])
    return (rng.choice(centres, size=(n, 1)) + rng.normal(0, 0.2, (n, 1))).astype("float32")


bce = keras.losses.BinaryCrossentropy(from_logits=True, label_smoothing=0.05)


@tf.function
def update(real, generator, critic, g_opt, c_opt):
    noise = tf.random.normal([tf.shape(real)[0], LATENT])
    with tf.GradientTape() as g_tape, tf.GradientTape() as c_tape:
        fake = generator(noise, training=True)
        on_real = critic(real, training=True)
        on_fake = critic(fake, training=True)
        c_loss = bce(tf.ones_like(on_real), on_real) + bce(tf.zeros_like(on_fake), on_fake)
        g_loss = bce(tf.ones_like(on_fake), on_fake)
    c_grads = c_tape.gradient(c_loss, critic.trainable_variables)
    g_grads = g_tape.gradient(g_loss, generator.trainable_variables)
    c_opt.apply_gradients(zip(c_grads, critic.trainable_variables))
    g_opt.apply_gradients(zip(g_grads, generator.trainable_variables))
    return g_loss, c_loss


class Pair:
    """A generator, its critic and what is needed to train them."""

    def __init__(self, width, lr):
        self.width = width
        self.generator = make_generator(width)
        self.critic = make_critic(width)
        self.g_opt = keras.optimizers.Adam(lr, beta_1=0.5)
        self.c_opt = keras.optimizers.Adam(2 * lr, beta_1=0.5)
        self.log = []

    def fit(self, data):
        ds = tf.data.Dataset.from_tensor_slices(data).shuffle(len(data), seed=1).repeat().batch(BATCH)
        for real in ds.take(STEPS):
            losses = update(real, self.generator, self.critic, self.g_opt, self.c_opt)
            self.log.append([float(v) for v in losses])
        return self

    def summary(self):
        sample = self.generator(tf.random.normal([256, LATENT])).numpy()
        return f"width {self.width:3d}  mean {sample.mean():+.3f}  std {sample.std():.3f}  last losses {self.log[-1]}"


def main():
    keras.utils.set_random_seed(77)
    data = mixture(400, np.random.default_rng(77))
    print("target mean %.3f std %.3f" % (data.mean(), data.std()))
    for width in (8, 16):
        pair = Pair(width, lr=1e-3).fit(data)
        print(pair.summary())


if __name__ == "__main__":
    main()
