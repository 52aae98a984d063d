"""Plankton image classifier, driven by an experiment file."""
import json
import os
import tempfile
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

EXPERIMENT = """
{
  "run": "baltic-2023",
  "image": {"side": 16, "channels": 1},
  "model": {"filters": [8, 16], "n_classes": 14, "dropout": 0.1},
  "train": {"epochs": 2, "batch": 32, "lr": 0.003}
}
"""


@dataclass
class Settings:
    side: int
    filters: tuple
    classes: int
    dropout: float
    epochs: int
    batch: int
    lr: float

    @classmethod
    def read(cls, path):
        with open(path) as f:
            raw = json.load(f)
        m, t = raw.get("model", {}), raw.get("train", {})
        return cls(
            side=raw["image"].get("side", 32),
            filters=tuple(m.get("filters", (16, 32))),
            classes=m.get("classes", 10),
            dropout=m.get("dropout", 0.0),
            epochs=t.get("epochs", 5),
            batch=t.get("batch", 64),
            lr=t.get("lr", 1e-3),
        )


def render(rng, taxon, side):
    """A silhouette whose lobes and elongation depend on the taxon."""
    yy, xx = np.mgrid[-1:1:side * 1j, -1:1:side * 1j]
    ang = np.arctan2(yy, xx) + rng.uniform(0, 6.28)
    rad = np.hypot(xx * (1 + 0.05 * taxon), yy)
    edge = 0.55 + 0.25 * np.cos((taxon % 7 + 1) * ang)
    img = 1 / (1 + np.exp(12 * (rad - edge)))
    return img + rng.normal(0, 0.05, img.shape)


def corpus(n, side, seed):
    rng = np.random.default_rng(seed)
    # rare taxa first get their guaranteed share
    taxa = np.concatenate([np.arange(14).repeat(4), rng.integers(0, 14, n - 56)])
    rng.shuffle(taxa)
    imgs = np.stack([render(rng, k, side) for k in taxa])[..., None]
    return imgs.astype("float32"), taxa.astype("int32")


def build(s):
    tf.keras.utils.set_random_seed(0)
    x = inp = tf.keras.Input((s.side, s.side, 1))
    for f in s.filters:
        x = tf.keras.layers.Conv2D(f, 3, padding="same", activation="relu")(x)
        x = tf.keras.layers.MaxPooling2D()(x)
    x = tf.keras.layers.Flatten()(x)
    x = tf.keras.layers.Dropout(s.dropout)(x)
    return tf.keras.Model(inp, tf.keras.layers.Dense(s.classes)(x))


def main():
    path = os.path.join(tempfile.mkdtemp(), "experiment.json")
    with open(path, "w") as f:
        f.write(EXPERIMENT)
    s = Settings.read(path)
    x, y = corpus(400, s.side, 7)
    model = build(s)
    model.compile(
        optimizer=tf.keras.optimizers.Adam(s.lr),
        loss=tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    print("training on", len(x), "images")
    h = model.fit(x, y, epochs=s.epochs, batch_size=s.batch, validation_split=0.2, verbose=2)
    print("final accuracy", round(h.history["accuracy"][-1], 3))


if __name__ == "__main__":
    main()
