import numpy as np
import tensorflow as tf
import keras

keras.utils.set_random_seed(103)
FEATURE_BATCH = 8
BATCH = 12


def interviews(n):
    rng = np.random.default_rng(103)
    emb = rng.normal(size=(n, 20)).astype("float32")
    score = (emb[:, :3].sum(axis=1, keepdims=True) > 0).astype("float32")
    return emb, score


emb, scores = interviews(96)
features = tf.data.Dataset.from_tensor_slices(emb).batch(FEATURE_BATCH)
features = features.map(lambda e: tf.math.l2_normalize(e, axis=-1))
ratings = tf.data.Dataset.from_tensor_slices(scores).batch(BATCH)
train = tf.data.Dataset.zip((features, ratings)).repeat(2)

model = keras.Sequential([
    keras.layers.Dense(16, activation="relu"),
    keras.layers.Dropout(0.2),
    keras.layers.Dense(1, activation="sigmoid"),
])
loss_fn = keras.losses.BinaryCrossentropy()
optimizer = keras.optimizers.Adam(1e-3)
mean = keras.metrics.Mean()

for step, (x, y) in enumerate(train.take(6)):
    with tf.GradientTape() as tape:
        p = model(x, training=True)
        loss = loss_fn(y, p)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    mean.update_state(loss)
print("mean loss", float(mean.result()))
