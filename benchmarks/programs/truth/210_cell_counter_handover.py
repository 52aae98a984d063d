"""Part 1 trains on the microscope PC, part 2 loads the result on the server."""
import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
import pathlib
import shutil
import tempfile

import keras
import numpy as np

exchange = pathlib.Path(tempfile.mkdtemp(prefix="exchange_"))


def build():
    inputs = keras.Input((24, 24, 1))
    x = keras.layers.Conv2D(6, 3, activation="relu")(inputs)
    x = keras.layers.MaxPooling2D()(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, keras.layers.Dense(1, activation="softplus")(x))


def train_on_microscope():
    r = np.random.default_rng(0)
    n_cells = r.integers(0, 9, 96)
    images = r.normal(0, 0.05, (96, 24, 24, 1))
    for im, n in zip(images, n_cells):
        for cy, cx in r.integers(1, 23, (n, 2)):
            im[cy - 1:cy + 1, cx - 1:cx + 1] += 1
    net = build()
    net.compile("adam", "poisson")
    checkpoint = keras.callbacks.ModelCheckpoint(
        str(exchange / "best.weights.h5"), monitor="loss", save_best_only=True, save_weights_only=True)
    net.fit(images, n_cells, epochs=3, verbose=0, callbacks=[checkpoint])
    return images


def count_on_server(images):
    shutil.copy(exchange / "best.weights.h5", exchange / "counter.h5")
    net = keras.models.load_model(exchange / "counter.h5", compile=False)
    return net.predict(images, verbose=0)[:, 0]


if __name__ == "__main__":
    images = train_on_microscope()
    counts = count_on_server(images)
    print("cells per image: mean %.2f" % counts.mean())
