import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(106)
critic = keras.Sequential([keras.Input((6, 6, 1)), layers.Conv2D(4, 3), layers.Flatten(), layers.Dense(1)])
maker = keras.Sequential([keras.Input((3,)), layers.Dense(36), layers.Reshape((6, 6, 1))])
c_opt, g_opt = keras.optimizers.Adam(1e-3), keras.optimizers.Adam(1e-3)


def penalty(real, fake):
    alpha = tf.random.uniform((tf.shape(real)[0], 1, 1, 1))
    mixed = real + alpha * (fake - real)
    with tf.GradientTape() as tape:
        tape.watch(mixed)
        score = critic(mixed)
    norm = tf.norm(tf.reshape(tape.gradient(score, mixed), (tf.shape(real)[0], -1)), axis=1)
    return tf.reduce_mean((norm - 1.0) ** 2)


@tf.function
def step(real):
    z = tf.random.normal((tf.shape(real)[0], 3))
    with tf.GradientTape(persistent=True) as tape:
        fake = maker(z)
        c_loss = tf.reduce_mean(critic(fake)) - tf.reduce_mean(critic(real)) + 10.0 * penalty(real, fake)
        g_loss = -tf.reduce_mean(critic(fake))
    c_opt.apply_gradients(zip(tape.gradient(c_loss, critic.trainable_variables), critic.trainable_variables))
    g_opt.apply_gradients(zip(tape.gradient(g_loss, maker.trainable_variables), maker.trainable_variables))
    return c_loss


images = np.random.default_rng(1).random((22, 6, 6, 1)).astype("float32")
c_opt.build(critic.trainable_variables)
g_opt.build(maker.trainable_variables)
for batch in tf.data.Dataset.from_tensor_slices(images).batch(8):
    print(float(step(batch)))
