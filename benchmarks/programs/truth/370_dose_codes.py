"""Readmission risk from lists of dispensed drug codes."""
import keras
import numpy as np
import tensorflow as tf
from keras import layers

FORMULARY = [f"{a}{n:02d}" for a in "ABCJN" for n in range(1, 10)]


class Codebook:
    """Codes are numbered from 1; 0 stands for an empty place."""

    def __init__(self, codes):
        self.number = {c: i for i, c in enumerate(sorted(codes), start=1)}

    def __len__(self):
        return len(self.number)

    def encode(self, visit, width):
        ids = [self.number[c] for c in visit][:width]
        return ids + [0] * (width - len(ids))


def describe(book, places=18):
    return {"vocab": len(book), "places": places, "embed": 12, "rate": 3e-3, "batch": 40}


def visits(count, seed):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        picked = rng.choice(FORMULARY, size=rng.integers(2, 22), replace=False)
        yield list(picked), float("J04" in picked or len(picked) > 17)


def build(cfg):
    model = keras.Sequential([
        layers.Embedding(cfg["vocab"], cfg["embed"]),
        layers.SpatialDropout1D(0.1),
        layers.Conv1D(16, 3, padding="same", activation="relu"),
        layers.GlobalMaxPooling1D(),
        layers.Dense(1, activation="sigmoid"),
    ])
    model.compile(keras.optimizers.Adam(cfg["rate"]), "binary_crossentropy", metrics=["AUC"])
    return model


def main():
    keras.utils.set_random_seed(0)
    book = Codebook(FORMULARY)
    cfg = describe(book)
    drawn = list(visits(400, seed=13))
    x = np.array([book.encode(v, cfg["places"]) for v, _ in drawn])
    y = np.array([[r] for _, r in drawn], "float32")
    print("visits", x.shape, "codes", len(book), "highest number", x.max())
    ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(cfg["batch"])
    model = build(cfg)
    hist = model.fit(ds, epochs=3, verbose=0)
    print("loss", [round(v, 3) for v in hist.history["loss"]])


if __name__ == "__main__":
    main()
