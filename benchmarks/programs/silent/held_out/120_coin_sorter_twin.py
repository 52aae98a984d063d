"""Coins by weight and width, read from one folder per denomination."""
import numpy as np
import tensorflow as tf

tf.keras.utils.set_random_seed(71)
rng = np.random.default_rng(71)
KINDS, EACH, BATCH = 4, 96, 24

typical = np.array([[2.3, 16.3], [3.9, 21.3], [4.1, 19.8], [7.5, 23.3]])


def tray(kind, n):
    coins = typical[kind] + rng.normal(0, [0.15, 0.25], (n, 2))
    return coins.astype("float32"), np.full(n, kind, dtype="int32")


def load(n):
    parts = [tray(kind, n) for kind in range(KINDS)]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


train_x, train_y = load(EACH)
test_x, test_y = load(20)
low, high = train_x.min(axis=0), train_x.max(axis=0)


def unit(x):
    return 2.0 * (x - low) / (high - low) - 1.0


feed = tf.data.Dataset.from_tensor_slices((unit(train_x), train_y)).shuffle(len(train_x), seed=2).batch(BATCH)

model = tf.keras.Sequential([
    tf.keras.Input((2,)),
    tf.keras.layers.Dense(24, activation="relu"),
    tf.keras.layers.Dense(KINDS),
])
model.compile(
    optimizer=tf.keras.optimizers.SGD(0.2, momentum=0.8),
    loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    metrics=["accuracy"],
)
model.fit(feed, epochs=6, verbose=0)

_, accuracy = model.evaluate(unit(test_x), test_y, batch_size=BATCH, verbose=0)
guess = model.predict(unit(test_x), verbose=0).argmax(axis=1)
print(f"test accuracy {accuracy:.3f}")
print("coins per kind:", np.bincount(guess, minlength=KINDS))
