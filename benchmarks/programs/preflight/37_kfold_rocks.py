"""K-fold cross validation; a new model for each fold."""
import argparse
import csv
import sys

import numpy as np
from tensorflow import keras


def load(n=310):
    rng = np.random.default_rng(37)
    y = rng.integers(0, 2, n)
    x = rng.normal(size=(n, 15)) + 0.6 * y[:, None] * np.linspace(0, 1, 15)
    return x, y


def build(hidden):
    model = keras.Sequential(
        [keras.layers.Input((15,)), keras.layers.Dense(hidden, "tanh"), keras.layers.Dense(1, "sigmoid")]
    )
    model.compile("sgd", "binary_crossentropy", metrics=["accuracy"])
    return model


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=10)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--output", default="folds.csv")
    options = parser.parse_args(argv)

    keras.utils.set_random_seed(37)
    x, y = load()
    rows = []
    for fold in range(options.folds):
        chosen = np.arange(len(x)) % options.folds == fold
        model = build(options.hidden)
        model.fit(x[~chosen], y[~chosen], batch_size=17, epochs=options.epochs, verbose=0)
        loss, accuracy = model.evaluate(x[chosen], y[chosen], verbose=0)
        rows.append((fold, loss, accuracy))
        print(f"fold {fold}: loss {loss:.3f} accuracy {accuracy:.3f}", file=sys.stderr)
        keras.backend.clear_session()
    with open(options.output, "w", newline="") as file:
        csv.writer(file).writerows([("fold", "loss", "accuracy"), *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
