import os
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import numpy as np
import tensorflow as tf
import keras

EMBED = 16
SPECIES = 8
TRIPLETS_PER_BATCH = 10
BATCH = 32
MARGIN = 0.3


def triplet_stream(n_triplets, seed):
    """anchor, positive, negative, anchor, positive, negative, ..."""
    rng = np.random.default_rng(seed)
    centre = np.random.default_rng(0).normal(size=(SPECIES, 40))
    rows = []
    for _ in range(n_triplets):
        s, other = rng.choice(SPECIES, 2, replace=False)
        for k in (s, s, other):
            rows.append(centre[k] + rng.normal(0, 0.4, 40))
    return np.array(rows, dtype="float32")


def triplet_loss(emb):
    groups = tf.reshape(emb, (-1, 3, EMBED))
    a, p, n = tf.unstack(groups, axis=1)
    dp = tf.reduce_sum(tf.square(a - p), axis=1)
    dn = tf.reduce_sum(tf.square(a - n), axis=1)
    return tf.reduce_mean(tf.maximum(dp - dn + MARGIN, 0.0))


embedder = keras.Sequential([
    keras.Input((40,)),
    keras.layers.Dense(32, activation="relu"),
    keras.layers.Dense(EMBED),
    keras.layers.UnitNormalization(),
])
optimizer = keras.optimizers.Adam(1e-3)


@tf.function
def update(x):
    with tf.GradientTape() as tape:
        loss = triplet_loss(embedder(x, training=True))
    grads = tape.gradient(loss, embedder.trainable_variables)
    optimizer.apply_gradients(zip(grads, embedder.trainable_variables))
    return loss


stream = triplet_stream(6 * TRIPLETS_PER_BATCH, seed=1)
batches = tf.data.Dataset.from_tensor_slices(stream).batch(BATCH)
for epoch in range(2):
    for x in batches:
        loss = update(x)
    print("epoch", epoch, "triplet loss", float(loss))
