"""Saves a leaf classifier, moves its body to a new task with more classes, reloads it."""
import os
import tempfile

import keras
import numpy as np
from keras import layers


@keras.saving.register_keras_serializable("leaves")
class Gate(layers.Layer):
    def __init__(self, units, **kw):
        super().__init__(**kw)
        self.units = units

    def build(self, shape):
        self.a = self.add_weight(shape=(shape[-1], self.units), name="a")
        self.b = self.add_weight(shape=(shape[-1], self.units), name="b")

    def call(self, x):
        return keras.ops.tanh(x @ self.a) * keras.ops.sigmoid(x @ self.b)

    def get_config(self):
        return {**super().get_config(), "units": self.units}


def build(classes):
    return keras.Sequential([
        keras.Input((11,)),
        Gate(14, name="body_gate"),
        layers.Dense(10, activation="relu", name="body_dense"),
        layers.Dense(classes, activation="softmax", name="head"),
    ])


def leaves(classes, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, 200)
    return (rng.normal(size=(200, 11)) + 0.7 * np.eye(11)[y]).astype("float32"), y


def main():
    keras.utils.set_random_seed(8)
    with tempfile.TemporaryDirectory() as d:
        first = build(4)
        first.compile("adam", "sparse_categorical_crossentropy")
        first.fit(*leaves(4, 0), epochs=3, verbose=0)
        path = os.path.join(d, "leaves.weights.h5")
        first.save_weights(path)
        second = build(7)
        try:
            second.load_weights(path)
        except ValueError as e:
            print("strict loading refused:", str(e).splitlines()[0][:100])
            second.load_weights(path, skip_mismatch=True)
        same = np.allclose(first.get_layer("body_gate").get_weights()[0],
                           second.get_layer("body_gate").get_weights()[0])
        second.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        second.fit(*leaves(7, 1), epochs=3, verbose=0)
        whole = os.path.join(d, "second.keras")
        second.save(whole)
        again = keras.models.load_model(whole)
        x, _ = leaves(7, 2)
        gap = float(np.abs(again.predict(x, verbose=0) - second.predict(x, verbose=0)).max())
    print("body carried over:", same, "gap after reload", gap)
    assert same and gap < 1e-6


if __name__ == "__main__":
    main()
