"""Reuse only the encoder of an earlier checkpoint."""
import tempfile
from pathlib import Path
import numpy as np
import keras

HERE = Path(__file__).resolve().parent


def network(outputs, name):
    keras.utils.set_random_seed(outputs)
    inputs = keras.Input((6,))
    h = keras.layers.Dense(10, activation="relu", name="encoder")(inputs)
    return keras.Model(inputs, keras.layers.Dense(outputs, name="head")(h), name=name)


def reuse(model, path):
    before = model.get_layer("head").get_weights()[0].copy()
    model.load_weights(path, skip_mismatch=True)
    np.testing.assert_array_equal(before, model.get_layer("head").get_weights()[0])


source, target = network(3, "source"), network(7, "target")
with tempfile.TemporaryDirectory(dir=HERE) as tmp:
    path = Path(tmp) / "source.weights.h5"
    source.save_weights(path)
    reuse(target, path)
x = np.ones((2, 6), "float32")
encoder = [keras.Model(m.inputs, m.get_layer("encoder").output)(x) for m in (source, target)]
np.testing.assert_allclose(*encoder)
print("encoder reused, head of", target.output_shape, "kept")
