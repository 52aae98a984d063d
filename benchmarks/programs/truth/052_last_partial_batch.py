"""VAE on small digits with a hand-written training loop."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(6)
BATCH, LATENT = 32, 2


def blobs(n):
    rng = np.random.default_rng(6)
    yy, xx = np.mgrid[:8, :8]
    cy, cx = rng.uniform(2, 6, (2, n, 1, 1))
    return np.exp(-((yy - cy) ** 2 + (xx - cx) ** 2) / 4).reshape(n, 64).astype("float32")


encoder = tf.keras.Sequential([tf.keras.layers.Dense(32, "relu"), tf.keras.layers.Dense(2 * LATENT)])
decoder = tf.keras.Sequential([tf.keras.layers.Dense(32, "relu"), tf.keras.layers.Dense(64)])
optimizer = tf.keras.optimizers.Adam(1e-3)


def elbo_loss(x):
    mean, logvar = tf.split(encoder(x), 2, axis=1)
    eps = tf.random.normal((BATCH, LATENT))
    z = mean + tf.exp(0.5 * logvar) * eps
    rec = tf.reduce_sum((decoder(z) - x) ** 2, axis=1)
    kl = 0.5 * tf.reduce_sum(tf.exp(logvar) + mean ** 2 - 1 - logvar, axis=1)
    return tf.reduce_mean(rec + kl)


def train(dataset):
    for step, x in enumerate(dataset):
        with tf.GradientTape() as tape:
            loss = elbo_loss(x)
        variables = encoder.trainable_variables + decoder.trainable_variables
        optimizer.apply(tape.gradient(loss, variables), variables)
        print("step", step, "loss", round(float(loss), 3))


images = blobs(110)
train(tf.data.Dataset.from_tensor_slices(images).shuffle(110, seed=1).batch(BATCH))
