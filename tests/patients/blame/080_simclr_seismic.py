import numpy as np
import tensorflow as tf
import keras
from keras import layers

keras.utils.set_random_seed(111)
TEMPERATURE = 0.2


def two_views(batch, rng):
    noise = lambda: rng.normal(0, 0.1, batch.shape).astype("float32")
    return batch + noise(), batch * np.float32(rng.uniform(0.9, 1.1)) + noise()


def nt_xent(z1, z2):
    n = len(z1)
    z = tf.math.l2_normalize(tf.concat([z1, z2], axis=0), axis=1)
    labels = tf.one_hot(tf.range(n), n)
    labels = tf.stop_gradient(labels)
    logits = tf.matmul(z, z, transpose_b=True) / TEMPERATURE
    logits -= 1e9 * tf.eye(2 * n)
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))


encoder = keras.Sequential([
    layers.Conv1D(8, 5, strides=2, activation="relu"),
    layers.GlobalAveragePooling1D(),
    layers.Dense(12),
])
projector = keras.Sequential([layers.Dense(12, activation="relu"), layers.Dense(6)])
optimizer = keras.optimizers.Adam(1e-3)

rng = np.random.default_rng(111)
seismic = rng.normal(size=(32, 40, 3)).astype("float32")
for start in range(0, len(seismic), 8):
    a, b = two_views(seismic[start:start + 8], rng)
    with tf.GradientTape() as tape:
        loss = nt_xent(projector(encoder(a)), projector(encoder(b)))
    weights = encoder.trainable_weights + projector.trainable_weights
    optimizer.apply_gradients(zip(tape.gradient(loss, weights), weights))
    print(f"{float(loss):.3f}")
