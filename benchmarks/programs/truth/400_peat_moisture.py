"""Moisture of peat from reflectance, with the learning rate lowered on a plateau."""
from dataclasses import dataclass

import keras
import numpy as np
from keras import layers


@dataclass
class Training:
    epochs: int = 14
    batch: int = 32
    rate: float = 0.05
    held_out: float = 0.0
    patience: int = 1
    factor: float = 0.3


def cores(count, seed):
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(count, 12)).astype("float32")
    y = 0.6 * x[:, :1] + 0.3 * np.sin(6 * x[:, 1:2]) + 0.2 * rng.normal(size=(count, 1))
    return x, y.astype("float32")


def build(rate):
    model = keras.Sequential([
        keras.Input((12,)),
        layers.Dense(32, activation="relu"),
        layers.Dense(16, activation="relu"),
        layers.Dense(1),
    ])
    model.compile(keras.optimizers.Adam(rate), "huber", metrics=["mae"])
    return model


class Rates(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.seen = []

    def on_epoch_end(self, epoch, logs=None):
        self.seen.append(round(float(self.model.optimizer.learning_rate), 6))


def main():
    keras.utils.set_random_seed(17)
    t = Training()
    x, y = cores(384, seed=23)
    model = build(t.rate)
    rates = Rates()
    plateau = keras.callbacks.ReduceLROnPlateau(factor=t.factor, patience=t.patience, min_delta=1e-4)
    hist = model.fit(x, y, batch_size=t.batch, epochs=t.epochs, validation_split=t.held_out,
                     callbacks=[plateau, rates], verbose=0)
    print("rates", rates.seen)
    print("loss", round(hist.history["loss"][0], 4), "to", round(hist.history["loss"][-1], 4))


if __name__ == "__main__":
    main()
