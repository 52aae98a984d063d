"""Fine-tune a digit classifier after a new class was merged into the labels."""
import numpy as np
import keras

keras.utils.set_random_seed(61)


def glyphs(n, classes, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, classes, n)
    x = np.zeros((n, 8, 8), "float32")
    for i, c in enumerate(labels):
        x[i, c % 8] += 1.0
        x[i, :, (3 * c) % 8] += 1.0
    return x + 0.1 * rng.normal(size=x.shape).astype("float32"), labels


def classifier(classes):
    return keras.Sequential([
        keras.Input((8, 8)),
        keras.layers.Flatten(),
        keras.layers.Dense(20, activation="relu"),
        keras.layers.Dense(classes),
    ])


base_x, base_y = glyphs(120, classes=5, seed=1)
model = classifier(len(np.unique(base_y)))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
model.fit(base_x, base_y, epochs=2, verbose=0)
print("base accuracy", round(model.evaluate(base_x, base_y, verbose=0)[1], 2))

new_x, new_y = glyphs(40, classes=1, seed=2)
x = np.concatenate([base_x, new_x])
y = np.concatenate([base_y, new_y + base_y.max() + 1])
model.fit(x, y, epochs=2, verbose=0)
print("tuned accuracy", round(model.evaluate(x, y, verbose=0)[1], 2))
