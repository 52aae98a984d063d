import keras
import numpy as np

from pipeline import PIXELS, batched, inspection_log, radiographs

BATCH = 32


def classifier():
    return keras.Sequential([
        keras.Input((PIXELS, PIXELS, 1)),
        keras.layers.Conv2D(6, 3, activation="relu"),
        keras.layers.GlobalAveragePooling2D(),
        keras.layers.Dense(1, activation="sigmoid"),
    ])


def main():
    keras.utils.set_random_seed(23)
    model = classifier()
    model.compile(keras.optimizers.Adam(0.02), "binary_crossentropy")
    x, y = radiographs(320, 0.5, seed=2)
    model.fit(batched(x, y, BATCH, True), epochs=12, verbose=0)

    x, y = inspection_log()
    hits = found = rows = 0
    for xb, yb in batched(x, y, BATCH, False):
        p = (model.predict_on_batch(xb)[:, 0] > 0.5).astype(int)
        yb = yb.numpy()
        hits += int((p & yb).sum())
        found += int(yb.sum())
        rows += len(yb)
    print("welds in the log:", len(x), "defects:", int(y.sum()))
    print("evaluated:", rows, "defects among them:", found)
    print("recall: %.3f" % (hits / max(found, 1)))


if __name__ == "__main__":
    main()
