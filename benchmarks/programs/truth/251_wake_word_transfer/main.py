"""Train a wake-word model on the public list, then continue with the words of one household."""
import json
import pathlib
import tempfile

from tensorflow import keras

from audio import spectrograms
from network import classifier

PUBLIC = ["yes", "no", "stop", "go", "left", "right"]
HOUSEHOLD = ["lamp", "music", "door"]


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def save(self, model, words, **options):
        model.save_weights(self.folder / "encoder.weights.h5")
        (self.folder / "card.json").write_text(json.dumps({"words": words, "options": options}))

    def options(self):
        return json.loads((self.folder / "card.json").read_text())["options"]

    def restore(self, model):
        model.load_weights(self.folder / "encoder.weights.h5")
        return model


def pretrain(store):
    x, y = spectrograms(PUBLIC, 20, seed=1)
    model = classifier(PUBLIC, units=12)
    history = model.fit(x, y, epochs=2, batch_size=32, verbose=0)
    store.save(model, PUBLIC, units=12)
    print("public list", [round(v, 3) for v in history.history["accuracy"]])


def adapt(store):
    x, y = spectrograms(HOUSEHOLD, 12, seed=2)
    model = store.restore(classifier(HOUSEHOLD, **store.options()))
    for name in ("front", "memory"):
        model.get_layer(name).trainable = False
    model.compile(keras.optimizers.Adam(1e-2), "sparse_categorical_crossentropy", metrics=["accuracy"])
    history = model.fit(x, y, epochs=3, batch_size=12, verbose=0)
    print("household", [round(v, 3) for v in history.history["accuracy"]])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        shelf = Store(folder)
        pretrain(shelf)
        adapt(shelf)
