"""What replaced names that Keras 3 and TensorFlow 2 removed.

Keras' guide "Migrating Keras 2 code to multi-backend Keras 3" and TensorFlow's "Migrate to TensorFlow 2" list them.
"""

from __future__ import annotations

from xladoctor.model.frozen import dataclass


@dataclass(frozen=True)
class Successor:
    """A module or a name that is gone (without `tensorflow.` or `tf.` in front), and what to write now."""

    old: str
    new: str
    how: str = ""


_KNOWN = (
    Successor(
        "keras.layers.experimental.preprocessing",
        "keras.layers",
        "Normalization, Rescaling, Resizing, TextVectorization, StringLookup and the Random... layers are in it.",
    ),
    Successor(
        "keras.layers.experimental",
        "keras.layers",
        "Normalization, Rescaling, Resizing, TextVectorization, StringLookup and the Random... layers are in it.",
    ),
    Successor("keras.utils.np_utils", "keras.utils", "`keras.utils.to_categorical` and `normalize` are in it."),
    Successor("keras.preprocessing.text", "keras.layers.TextVectorization"),
    Successor(
        "keras.wrappers", "the package scikeras", "`pip install scikeras`, then `from scikeras.wrappers import`."
    ),
    Successor("keras.engine", "keras", "`keras.Model`, `keras.layers.Layer` and `keras.KerasTensor` are public."),
    Successor("keras.layers.core", "keras.layers"),
    Successor("keras.layers.convolutional", "keras.layers"),
    Successor("keras.layers.recurrent", "keras.layers"),
    Successor("keras.layers.normalization", "keras.layers"),
    Successor("keras.layers.merge", "keras.layers"),
    Successor("keras.layers.advanced_activations", "keras.layers"),
    Successor("keras.optimizers.experimental", "keras.optimizers"),
    Successor("keras.mixed_precision.experimental", "keras.mixed_precision"),
    Successor("python.keras", "keras", "`tensorflow.python` is private, and its copy of Keras is gone."),
    Successor("contrib", "tf.keras, tensorflow_addons or tf.compat.v1", "tf.contrib ended with TensorFlow 1."),
    Successor("examples.tutorials.mnist", "tf.keras.datasets.mnist"),
    *(
        Successor(name, f"tf.compat.v1.{name}")
        for name in ("Session", "placeholder", "global_variables_initializer", "get_variable", "ConfigProto", "app")
    ),
)


def successor(name: str) -> Successor | None:
    """What replaced a name: the longest known beginning of it counts."""
    bare = name.removeprefix("tensorflow.").removeprefix("tf.")
    fitting = [known for known in _KNOWN if bare == known.old or bare.startswith(f"{known.old}.")]
    return max(fitting, key=lambda known: len(known.old), default=None)
