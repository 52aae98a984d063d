"""Pre-train on all bird species of a region, then continue on a site with its own species list."""
import os
import tempfile

import numpy as np
from tensorflow import keras

FRAMES, BANDS = 32, 20


class Stage:
    def __init__(self, name, species, filters, epochs):
        self.name, self.species, self.filters, self.epochs = name, species, filters, epochs

    @property
    def classes(self):
        return len(self.species)


REGION = Stage("region", ["robin", "wren", "blackcap", "chiffchaff", "dunnock", "siskin"], (12, 24), 2)
SITE = Stage("site", ["robin", "wren", "nuthatch", "treecreeper"], (12, 24), 1)


def encoder(filters, dropout=0.0):
    block = keras.Sequential(name="encoder")
    block.add(keras.Input((FRAMES, BANDS)))
    for i, f in enumerate(filters):
        block.add(keras.layers.Conv1D(f, 5, padding="same", activation="relu", name=f"conv_{i}"))
        block.add(keras.layers.MaxPooling1D(2))
    if dropout:
        block.add(keras.layers.Dropout(dropout))
    block.add(keras.layers.GlobalAveragePooling1D())
    return block


def classifier(stage, dropout=0.0):
    spectrogram = keras.Input((FRAMES, BANDS), name="spectrogram")
    features = encoder(stage.filters, dropout)(spectrogram)
    hidden = keras.layers.Dense(32, activation="relu", name="hidden")(features)
    scores = keras.layers.Dense(stage.classes, activation="softmax", name="species")(hidden)
    model = keras.Model(spectrogram, scores, name=stage.name)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def calls(stage, n, rng):
    """Synthetic log-mel pictures, one chirp per call with a slope that belongs to the species."""
    labels = rng.integers(0, stage.classes, n)
    t = np.arange(FRAMES)[:, None]
    bands = np.arange(BANDS)[None, :]
    x = np.empty((n, FRAMES, BANDS), "float32")
    for i, k in enumerate(labels):
        centre = 4 + 2 * k + 0.1 * (k + 1) * t * np.sin(t / 5.0)
        x[i] = np.exp(-((bands - centre) ** 2) / 4.0) + rng.normal(0, 0.05, (FRAMES, BANDS))
    return x, labels


def fit_stage(stage, folder, rng, start_from=None, dropout=0.0):
    model = classifier(stage, dropout)
    if start_from:
        model.load_weights(start_from)
        model.get_layer("encoder").trainable = False
    x, y = calls(stage, 96, rng)
    history = model.fit(x, y, batch_size=16, epochs=stage.epochs, verbose=0)
    path = os.path.join(folder, stage.name + ".weights.h5")
    model.save_weights(path)
    print(f"{stage.name}: {stage.classes} species, accuracy {history.history['accuracy'][-1]:.2f}")
    return path


if __name__ == "__main__":
    keras.utils.set_random_seed(31)
    generator = np.random.default_rng(31)
    with tempfile.TemporaryDirectory() as folder:
        base = fit_stage(REGION, folder, generator)
        fit_stage(SITE, folder, generator, start_from=base, dropout=0.2)
