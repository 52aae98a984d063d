"""Plankton classifier on flow-cytometry features, ported from the 2019 notebook of the station."""
import os
import tempfile

import numpy as np
import tensorflow as tf

CLASSES = ["diatom", "dinoflagellate", "ciliate", "detritus"]
CHANNELS = ["fsc", "ssc", "fl_red", "fl_orange", "fl_green", "length"]
np.set_printoptions(precision=3, suppress=True)


def cruise(n, seed):
    rng = np.random.default_rng(seed)
    centre = np.random.default_rng(100).normal(0, 1.4, (len(CLASSES), len(CHANNELS)))
    k = rng.choice(len(CLASSES), n, p=[0.4, 0.25, 0.05, 0.3])
    return (centre[k] + rng.normal(0, 0.8, (n, len(CHANNELS)))).astype("float32"), k


def balanced_weights(k):
    share = np.bincount(k, minlength=len(CLASSES)) / len(k)
    return {i: float(1.0 / (len(CLASSES) * s)) for i, s in enumerate(share)}


class Plateau(tf.keras.callbacks.Callback):
    """Lowers the rate when the macro recall on the validation cruise stands still."""

    def __init__(self, x, k, factor=0.5):
        super().__init__()
        self.x, self.k, self.factor = x, k, factor
        self.best = -1.0

    def macro_recall(self):
        p = self.model.predict(self.x, verbose=0).argmax(1)
        return float(np.mean([(p[self.k == c] == c).mean() for c in range(len(CLASSES))]))

    def on_epoch_end(self, epoch, logs=None):
        r = self.macro_recall()
        print(f"  macro recall {r:.3f} (best {max(r, self.best):.3f})")
        if r <= self.best:
            lr = tf.keras.backend.get_value(self.model.optimizer.lr)
            self.model.optimizer.lr = lr * self.factor
        self.best = max(r, self.best)


def build():
    net = tf.keras.models.Sequential()
    net.add(tf.keras.layers.Input(shape=(len(CHANNELS),)))
    net.add(tf.keras.layers.BatchNormalization())
    net.add(tf.keras.layers.Dense(24, activation="relu"))
    net.add(tf.keras.layers.Dropout(0.2))
    net.add(tf.keras.layers.Dense(len(CLASSES), activation="softmax"))
    net.compile(optimizer=tf.keras.optimizers.Adam(learning_rate=0.02), loss="sparse_categorical_crossentropy",
                metrics=["accuracy"])
    return net


def main():
    tf.random.set_seed(2019)
    x, k = cruise(1500, 1)
    vx, vk = cruise(400, 2)
    net = build()
    net.fit(x, k, epochs=6, batch_size=50, verbose=2, class_weight=balanced_weights(k),
            callbacks=[Plateau(vx, vk)])

    path = os.path.join(tempfile.mkdtemp(), "plankton.keras")
    net.save(path)
    again = tf.keras.models.load_model(path)
    station, _ = cruise(6, 3)
    counts = np.bincount(again.predict(station, verbose=0).argmax(1), minlength=len(CLASSES))
    print(dict(zip(CLASSES, counts.tolist())))


if __name__ == "__main__":
    main()
