"""A `fit` that trains and fails as it validates: what only the validation data come through is suspected."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines

HEAD = """
import numpy as np
import tensorflow as tf

def picture(i):
    return tf.random.stateless_uniform((32, 32, 3), (i, 0)), i % 2

def small(x, y):
    return tf.image.resize(x, (28, 28)), y

MODEL
"""
MODEL = """net = tf.keras.Sequential([
    tf.keras.Input((28, 28, 3)),
    tf.keras.layers.Flatten(),
    tf.keras.layers.Dense(2),
])
net.compile("adam", tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))
"""
HEAD = HEAD.replace("MODEL", MODEL)
PIPELINES = """
ds = tf.data.Dataset.range(100).map(picture)
train = ds.take(80).map(small).batch(16)
rest = ds.skip(80).batch(16)
net.fit(train, validation_data=rest)
"""
ARRAYS = """
x = np.zeros((50, 28, 28, 3))
y = np.zeros(50, int)
held = np.zeros((20, 32, 32, 3))
net.fit(x, y, validation_data=(held, np.zeros(20, int)))
"""
BOTH = """
ds = tf.data.Dataset.range(100).map(picture)
train = ds.take(80).batch(16)
rest = ds.skip(80).batch(16)
net.fit(train, validation_data=rest)
"""


LEFT_OUT = """
x = np.zeros((50, 32, 32, 3))
y = np.zeros(50, int)
held = np.zeros((20, 32, 32, 3))
x = tf.image.resize(x, (28, 28))
net.fit(x, y, validation_data=(held, np.zeros(20, int)))
"""
OF_ONE = """
both = np.zeros((70, 32, 32, 3))
x, held = both[:50], both[50:]
x = tf.image.resize(x, (28, 28))
net.fit(x, np.zeros(50, int), validation_data=(held, np.zeros(20, int)))
"""


def test_what_only_the_training_data_come_through():
    """Both are of one line: what the validation data lack is the line that mends the others."""
    found = blamed(HEAD + OF_ONE, ("<module>", "net.fit("), dims=(2352, 3072), message="shape (None, 3072)")
    assert "x = tf.image.resize(x, (28, 28))" in lines(found)[:2]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (LEFT_OUT, "held = np.zeros((20, 32, 32, 3))"),
        (PIPELINES, "rest = ds.skip(80).batch(16)"),
        (ARRAYS, "held = np.zeros((20, 32, 32, 3))"),
        (BOTH, None),
    ],
    ids=["left-out", "pipelines", "arrays", "training-fails-too"],
)
def test_what_only_validation_comes_through(source, line):
    message = "expected axis -1 of input shape to have value 2352, but received input with shape (None, 3072)"
    found = blamed(HEAD + source, ("<module>", "net.fit("), dims=(2352, 3072), message=message)
    reasons = {s.code: s.reason for s in found.suspects}
    if line is None:
        assert not any("validation" in reason for reason in reasons.values())
    else:
        assert lines(found)[0] == line and "Only the data for validation" in reasons[line]


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ("tf.keras.utils.image_dataset_from_directory('a', image_size=(32, 32))", 32),
        ("tf.keras.utils.image_dataset_from_directory('a', image_size=(28, 28), color_mode='grayscale')", 1),
        ("tf.data.Dataset.list_files('*').map(lambda f: tf.io.decode_png(tf.io.read_file(f), channels=1)).batch(4)", 1),
        ("tf.data.TFRecordDataset('a').map(parse).batch(4)", 30),
        ("tf.data.Dataset.sample_from_datasets([tf.data.Dataset.range(9).map(picture)]).batch(4)", 32),
    ],
    ids=["folder", "gray", "decoded", "parsed", "sampled"],
)
def test_shapes_of_what_is_read(made, shape):
    """The constraint of the model is broken by the shape that the reading call names."""
    parse = (
        "\ndef parse(text):\n    return tf.io.parse_single_example("
        "text, {'x': tf.io.FixedLenFeature([30, 28, 3], tf.float32)})['x']\n\n"
    )
    source = HEAD + parse + f"data = {made}\nnet.predict(data)\n"
    message = "expected axis -1 of input shape to have value 2352"
    found = blamed(source, ("<module>", "net.predict("), dims=(2352,), message=message)
    assert shape in {operand.size for operand in found.constraint.operands}


def test_what_flattens_before_a_layer_of_sequences():
    source = """
    import tensorflow as tf
    net = tf.keras.Sequential()
    net.add(tf.keras.Input((8, 6, 6)))
    net.add(tf.keras.layers.Flatten())
    net.add(tf.keras.layers.LSTM(4))
    """
    message = "Input 0 of layer lstm is incompatible with the layer: expected ndim=3, found ndim=2"
    found = blamed(source, ("<module>", "LSTM(4)"), dims=(3, 2), message=message)
    assert lines(found)[0] == "net.add(tf.keras.layers.Flatten())"
