"""Segmentation of geological faults in a synthetic seismic section."""
import sys
import numpy as np
import keras

keras.utils.set_random_seed(18)


def section(rng, side=16):
    layers = np.sin(np.arange(side)[:, None] / 1.5 + np.zeros(side))
    cut, throw = rng.integers(4, side - 4), rng.integers(2, 5)
    layers[:, cut:] = np.roll(layers[:, cut:], throw, axis=0)
    mask = np.zeros((side, side))
    mask[:, cut - 1:cut + 1] = 1
    return layers[..., None], mask[..., None]


def survey(n):
    rng = np.random.default_rng(18)
    pairs = [section(rng) for _ in range(n)]
    return [np.stack(a).astype("float32") for a in zip(*pairs)]


def complain(text):
    sys.stderr.write(text + "\n")


x, y = survey(40)
inputs = keras.Input((16, 16, 1))
h = keras.layers.Conv2D(8, 5, padding="same", activation="relu")(inputs)
model = keras.Model(inputs, keras.layers.Conv2D(1, 3, padding="same", activation="sigmoid")(h))
model.compile("adam", "binary_crossentropy", jit_compile=True)
model.fit(x, y, epochs=3, batch_size=10, verbose=0)
p = model.predict(x[:4], verbose=0)
for i in range(4):
    complain(f"Segmentation fault {i}: column {int(p[i, ..., 0].mean(0).argmax())}, throw unknown")
complain("Aborted picks: 0. Bus error bars not drawn. Killed horizons: none.")
print("faults found", len(p))
