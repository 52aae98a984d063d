"""A study in miniature that trains and predicts; the one word that it takes says what is wrong with it, if anything."""

import os
import sys

import keras
import numpy as np
import tensorflow as tf

from ptycho import params

WRONG = sys.argv[1] if len(sys.argv) > 1 else ""
keras.utils.set_random_seed(1)


@keras.saving.register_keras_serializable()
class Scaled(keras.layers.Layer):
    """Doubles its input, on one of two paths that should give the same."""

    def __init__(self, use_xla=None):
        super().__init__()
        self.use_xla = use_xla

    def call(self, x):
        use_xla = params.cfg["use_xla_translate"] if self.use_xla is None else self.use_xla
        if use_xla:
            return x + x
        return x * (2.5 if WRONG in ("other-numbers", "only-trains") else 2.0)


@keras.saving.register_keras_serializable()
class Paired(keras.layers.Layer):
    """Takes rows in pairs: fails for an odd batch."""

    def call(self, x):
        return tf.reshape(tf.reshape(x, [-1, 2, 4]), [-1, 4])


@keras.saving.register_keras_serializable()
class Kept(keras.layers.Layer):
    """Breaks the contract of a place of its own, and nothing is raised."""

    def call(self, x):
        import parts

        return parts.kept(x)


def decided():
    """What the layer is given: nothing, or a decision that is made now; or one that nobody made."""
    if WRONG == "set-too-late":
        return params.cfg["use_xla_translate"]
    if WRONG == "governs-nothing":
        os.environ.get("USE_XLA_TRANSLATE")
        return True
    return None


layers = [keras.Input((4,)), keras.layers.Dense(4), Scaled(decided())]
model = keras.Sequential(
    [*layers, *{"odd-batch": [Paired()], "own-contract": [Kept(), keras.layers.Dense(4)]}.get(WRONG, [])]
)
model.compile(loss="mse", optimizer="sgd")
if WRONG == "set-too-late":
    params.cfg["use_xla_translate"] = False
rows = 69 if WRONG == "odd-batch" else 70
x = np.linspace(0, 1, rows * 4, dtype="float32").reshape(rows, 4)
model.fit(x[: rows - rows % 2], x[: rows - rows % 2], batch_size=32, epochs=2, verbose=0)
if WRONG == "only-trains":
    sys.exit()
print(model.predict(x, verbose=0).shape)
