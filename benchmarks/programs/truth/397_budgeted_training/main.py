"""Training that is cut off by a budget, picked up from its last checkpoint, and finished."""
import pathlib
import sys
import tempfile
import traceback

import keras
import numpy as np

import yields
from budget import EpochBudget, OutOfTime, Slower


def build():
    model = keras.Sequential([
        keras.Input((8,)),
        keras.layers.Dense(16, activation="tanh"),
        keras.layers.Dense(1, activation="softplus"),
    ])
    model.compile(keras.optimizers.Adam(0.02), "mse", metrics=["mae"])
    return model


def leg(model, train, test, folder, first, budget):
    keep = keras.callbacks.ModelCheckpoint(str(folder / "last.keras"))
    try:
        model.fit(*train, validation_data=test, initial_epoch=first, epochs=12, batch_size=30, verbose=0,
                  callbacks=[Slower(0.9), keep, EpochBudget(first + budget)])
    except OutOfTime:
        traceback.print_exc()
        print("leg from epoch", first, "cut off; checkpoint", (folder / "last.keras").exists())
        return first + budget
    return 12


def main():
    keras.utils.set_random_seed(2)
    train, test = yields.vineyards()
    model, epoch, scores = build(), 0, []
    with tempfile.TemporaryDirectory() as d:
        folder = pathlib.Path(d)
        while epoch < 12:
            epoch = leg(model, train, test, folder, epoch, budget=5)
            model = keras.models.load_model(folder / "last.keras")
            scores.append(model.evaluate(*test, verbose=0)[0])
    print("finished at epoch", epoch, "after", len(scores), "legs; mse", np.round(scores, 4).tolist())
    return 0 if scores[-1] < scores[0] else 1


if __name__ == "__main__":
    sys.exit(main())
