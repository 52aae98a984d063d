"""Blame for what libraries take and give in an order of their own, and for one thing that serves several."""

from __future__ import annotations

import pytest

from .programs import blamed, lines

TURNED = (
    "Input 0 with name 'images' of layer 'functional' is incompatible with the layer: "
    "expected shape=(None, 48, 64, 3), found shape=(None, 64, 48, 3)"
)
RESIZED = """
import cv2
import keras
import numpy as np
from rig import names
size = (48, 64)
def frames(names):
    return np.stack([{} for n in names])
images = keras.Input((*size, 3), name="images")
model = keras.Model(images, keras.layers.Flatten()(images))
model.predict(frames(names))
"""


@pytest.mark.parametrize(
    ("call", "blames"),
    [("cv2.resize(cv2.imread(n), size)", True), ("cv2.resize(cv2.imread(n), (size[1], size[0]))", False)],
)
def test_the_width_comes_first_in_opencv(call: str, blames: bool) -> None:
    found = blamed(RESIZED.format(call), ("<module>", "model.predict"), message=TURNED)
    assert ("width before the height" in str(found)) is blames


@pytest.mark.parametrize(
    ("names", "blames"),
    [("x_train, y_train, x_test, y_test", True), ("x_train, x_test, y_train, y_test", False), ("a, b, c, d", False)],
)
def test_the_parts_of_a_split(names: str, blames: bool) -> None:
    source = f"""
    import keras
    from sklearn.model_selection import train_test_split
    from rig import x, y
    {names} = train_test_split(x, y, test_size=0.2)
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    model.fit({names.split(", ")[0]}, {names.split(", ")[1]})
    """
    message = "Data cardinality is ambiguous. 'x' sizes: 80 'y' sizes: 20"
    found = blamed(source, ("<module>", "model.fit"), dims=(80, 20), message=message)
    assert ("gives both parts" in str(found)) is blames


def test_a_scaler_takes_back_what_it_was_fitted_to() -> None:
    source = """
    from sklearn.preprocessing import StandardScaler
    from rig import table, model
    def scaled(table):
        scaler = StandardScaler()
        return scaler.fit_transform(table), scaler
    x, scaler = scaled(table)
    out = scaler.inverse_transform(model.predict(x))
    """
    message = "non-broadcastable output operand with shape (30,1) doesn't match the broadcast shape (30,7)"
    found = blamed(source, ("<module>", "out ="), slug="broadcast-mismatch", dims=(1, 7), message=message)
    assert lines(found)[0] == "return scaler.fit_transform(table), scaler"


@pytest.mark.parametrize(
    ("body", "blames"),
    [
        ("one = layers.Dense(8)\n    return layers.Add()([one(b) for b in branches])", True),
        ("return layers.Add()([layers.Dense(8)(b) for b in branches])", False),
    ],
)
def test_one_layer_for_values_of_several_widths(body: str, blames: bool) -> None:
    source = f"""
import keras
from keras import layers
def joined(branches):
    {body}
joined([keras.Input((16,)), keras.Input((32,))])
"""
    message = "Input 0 of layer is incompatible: expected axis -1 to have value 16, but received (None, 32)"
    found = blamed(source, ("<module>", "joined([k"), ("joined", "return"), dims=(16, 32), message=message)
    assert ("one layer, which is called" in str(found)) is blames


@pytest.mark.parametrize(("call", "blames"), [("head(x)", True), ("head(x, base=7)", False)])
def test_a_size_that_is_left_at_its_default(call: str, blames: bool) -> None:
    source = f"""
    import keras
    from keras import layers
    def head(x, base=8):
        return layers.Reshape((base, base, 4))(x)
    x = layers.Dense(7 * 7 * 4)(keras.Input((16,)))
    out = {call}
    """
    message = "The total size of the tensor must be unchanged. input_shape=(196,), target_shape=(8, 8, 4)"
    found = blamed(
        source, ("<module>", "out ="), ("head", "return"), slug="reshape-mismatch", dims=(196, 8), message=message
    )
    assert ("at 8, which does not fit" in str(found)) is blames


@pytest.mark.parametrize(("kind", "blames"), [("tf.float32", True), ("self.compute_dtype", False)])
def test_a_constant_that_no_policy_reaches(kind: str, blames: bool) -> None:
    source = f"""
    import keras
    import tensorflow as tf
    keras.mixed_precision.set_global_policy("mixed_float16")
    class Bands(keras.layers.Layer):
        def __init__(self, table):
            super().__init__()
            self.table = tf.constant(table, {kind})
        def call(self, x):
            return tf.matmul(x, self.table)
    out = Bands([[1.0]])(keras.Input((1,)))
    """
    message = "cannot compute MatMul as input #1 was expected to be a half tensor but is a float32 tensor"
    calls = (("<module>", "out ="), ("Bands.call", "return tf.matmul"))
    found = blamed(source, *calls, slug="dtype-mismatch", message=message)
    assert ("float32 under any policy" in str(found)) is blames


@pytest.mark.parametrize(("grid", "blames"), [("fftfreq", True), ("rfftfreq", False)])
def test_half_a_spectrum_has_half_the_frequencies(grid: str, blames: bool) -> None:
    source = f"""
    import numpy as np
    import tensorflow as tf
    def gain(n):
        return tf.constant(np.fft.{grid}(n) > 0, tf.complex64)
    def passed(x):
        return tf.signal.rfft(x) * gain(256)
    out = passed(tf.zeros([16, 256]))
    """
    found = blamed(
        source,
        ("<module>", "out ="),
        ("passed", "return tf.signal"),
        slug="broadcast-mismatch",
        dims=(129, 256),
        message="Incompatible shapes: [16,129] vs. [256]",
    )
    assert ("has all frequencies" in str(found)) is blames


@pytest.mark.parametrize(("size", "blames"), [("batch_size=32", True), ("batch_size=None", False)])
def test_a_loader_that_makes_batches_already(size: str, blames: bool) -> None:
    source = f"""
    import keras
    data = keras.utils.image_dataset_from_directory("cells", image_size=(64, 64), {size})
    model = keras.Sequential([keras.Input((64, 64, 3)), keras.layers.Flatten()])
    model.fit(data.shuffle(9).batch(16))
    """
    message = "expected shape=(None, 64, 64, 3), found shape=(None, None, 64, 64, 3)"
    found = blamed(source, ("<module>", "model.fit"), message=message)
    assert found is not None
    reasons = {s.code.partition(" =")[0]: s.reason for s in found.suspects}
    assert ("batches them again" in reasons.get("data", "")) is blames
