"""Leaf species from four measurements, fed through tf.data."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(17)
rng = np.random.default_rng(17)
SPECIES, EACH = 3, 80

centres = rng.normal(0, 2.0, (SPECIES, 4))
species = rng.permutation(np.repeat(np.arange(SPECIES), EACH)).astype("int32")
leaves = (centres[species] + rng.normal(0, 0.7, (SPECIES * EACH, 4))).astype("float32")

split = 180


def scale(row):
    return row / 3.0


def pipeline(x, y, training):
    images = tf.data.Dataset.from_tensor_slices(x).map(scale)
    labels = tf.data.Dataset.from_tensor_slices(y)
    pairs = tf.data.Dataset.zip((images, labels))
    if training:
        pairs = pairs.shuffle(len(x), seed=4)
    return pairs.batch(30).prefetch(1)


model = tf.keras.Sequential([
    tf.keras.Input((4,)),
    tf.keras.layers.Dense(16, activation="relu"),
    tf.keras.layers.Dense(SPECIES),
])
model.compile(
    optimizer=tf.keras.optimizers.Adam(0.02),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
history = model.fit(pipeline(leaves[:split], species[:split], True), epochs=15, verbose=0)
loss, accuracy = model.evaluate(pipeline(leaves[split:], species[split:], False), verbose=0)
print(f"train loss {history.history['loss'][-1]:.3f}")
print(f"held-out accuracy {accuracy:.3f}")
