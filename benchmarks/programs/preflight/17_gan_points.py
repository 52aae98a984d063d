"""A GAN for points on two moons. Two optimisers, one tf.function."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(77)
BATCH, LATENT = 64, 4


def mlp(n_in, n_out):
    return tf.keras.Sequential(
        [
            tf.keras.Input((n_in,)),
            tf.keras.layers.Dense(32, activation="leaky_relu"),
            tf.keras.layers.Dense(32, activation="leaky_relu"),
            tf.keras.layers.Dense(n_out),
        ]
    )


def moons(n):
    a = np.random.uniform(0, np.pi, n)
    upper = np.random.rand(n) < 0.5
    x = np.where(upper, np.cos(a), 1 - np.cos(a))
    y = np.where(upper, np.sin(a), 0.5 - np.sin(a))
    return np.stack([x, y], 1).astype("float32") + np.random.normal(0, 0.05, (n, 2)).astype("float32")


generator, critic = mlp(LATENT, 2), mlp(2, 1)
g_opt, c_opt = tf.keras.optimizers.Adam(1e-3, beta_1=0.5), tf.keras.optimizers.Adam(1e-3, beta_1=0.5)
bce = tf.keras.losses.BinaryCrossentropy(from_logits=True)


@tf.function
def train_step(real):
    n = tf.shape(real)[0]
    with tf.GradientTape() as g_tape, tf.GradientTape() as c_tape:
        fake = generator(tf.random.normal((n, LATENT)), training=True)
        on_real, on_fake = critic(real, training=True), critic(fake, training=True)
        g_loss = bce(tf.ones_like(on_fake), on_fake)
        c_loss = bce(tf.ones_like(on_real), on_real) + bce(tf.zeros_like(on_fake), on_fake)
    g_grad = g_tape.gradient(g_loss, generator.trainable_variables)
    c_grad = c_tape.gradient(c_loss, critic.trainable_variables)
    g_opt.apply_gradients(zip(g_grad, generator.trainable_variables))
    c_opt.apply_gradients(zip(c_grad, critic.trainable_variables))
    return g_loss, c_loss


points = tf.data.Dataset.from_tensor_slices(moons(1000)).shuffle(1000, seed=1).batch(BATCH)
for epoch in range(3):
    for batch in points:
        g, c = train_step(batch)
    print(f"epoch {epoch} generator {g:.3f} critic {c:.3f}")
samples = generator(tf.random.normal((10, LATENT)))
np.savetxt("samples.txt", samples.numpy())
