"""Constraints that a source breaks, told by the shapes that were recorded where it does not tell them itself."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed

HEAD = "import numpy as np\nimport tensorflow as tf\nfrom tensorflow import keras\n"


def constraint(source: str, *calls: tuple[str, str], **more):
    found = blamed(HEAD + source, *calls, **more)
    assert found is not None
    return found.constraint


@pytest.mark.parametrize(
    ("line", "relation", "sizes"),
    [
        ('tf.einsum("bij,bjk->bik", a, b)', "equal", [5, 4]),
        ('np.einsum("bij,bj->bi", a, b)', "rank", [3, 2]),
        ("tf.reduce_sum(a, axis=(1, 3))", "rank", [3, 4]),
        ("tf.concat([a[0], a[1]], axis=2)", "rank", [2, 3]),
        ("tf.stack([a, a], axis=4)", "rank", [4, 5]),
        ("tf.transpose(a, [1, 0])", "rank", [3, 2]),
        ("tf.transpose(a, [0, 1, 3])", "rank", [3, 3]),
        ("tf.Variable(tf.zeros((5,))).assign(tf.zeros((6,)))", "equal", [6, 5]),
        ("tf.Variable(tf.zeros((5,))).assign(tf.zeros((5, 1)))", "rank", [2, 1]),
        ("keras.losses.MeanSquaredError()(np.zeros((12, 1)), np.zeros((8, 1)))", "rows", [12, 8]),
    ],
)
def test_what_is_asked(line, relation, sizes):
    source = f"a = np.zeros((2, 3, 5))\nb = np.zeros((2, 4, 7))\nout = {line}\n"
    found = constraint(source, ("<module>", "out ="), dims=tuple(sizes))
    assert found is not None and found.relation == relation
    assert [operand.size for operand in found.operands] == sizes


@pytest.mark.parametrize(
    "line",
    [
        'tf.einsum("bij,bkj->bik", a, a)',
        'tf.einsum("...ij,jk->...ik", a, b)',
        "tf.reduce_sum(a, axis=(1, -1))",
        "tf.concat([a, a], axis=-3)",
        "tf.stack([a, a], axis=3)",
        "tf.transpose(a, [2, 0, 1])",
    ],
)
def test_what_is_asked_and_holds(line):
    source = f"a = np.zeros((2, 3, 5))\nb = np.zeros((5, 7))\nout = {line}\n"
    assert constraint(source, ("<module>", "out ="), dims=(2, 3)) is None


def test_one_weight_for_each_sample():
    source = """
x, y, weight = np.zeros((136, 4)), np.zeros((136,)), np.ones((150,))
model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile(loss="mse")
model.fit(x, y, sample_weight=weight)
"""
    found = constraint(source, ("<module>", "model.fit"), dims=(136, 150))
    assert found is not None and [operand.size for operand in found.operands] == [136, 150]


SUBCLASS = """
class Net(keras.Model):
    def call(self, x):
        mask = x[:, :5, 0]
        return x[:, :5, :] * mask
net = Net()
net.compile(loss="mse")
net.fit(np.zeros((32, 5, 6)), np.zeros((32, 5, 6)))
"""


def test_the_rows_of_a_batch_that_meet_another_axis():
    found = constraint(SUBCLASS, ("<module>", "net.fit"), ("Net.call", "return x"), dims=(5, 6))
    assert found is not None and found.relation == "broadcast"
    fits = SUBCLASS.replace("x[:, :5, 0]", "x[:, :5, :1]")
    assert constraint(fits, ("<module>", "net.fit"), ("Net.call", "return x"), dims=(5, 6)) is None


def test_a_parameter_has_the_shape_that_was_recorded_of_the_failing_call_alone():
    source = """
def scale(x):
    return x * tf.zeros((7,))
scale(load())
scale(load())
"""
    calls = ("<module>", "scale(load())"), ("scale", "return x")
    shapes = {"x": [4, 6]}
    found = blamed(HEAD + source, *calls, dims=(6, 7), frame_shapes={"scale": shapes})
    assert found is not None and found.constraint is not None
    assert [operand.size for operand in found.constraint.operands] == [6, 7]


def test_a_function_that_a_library_calls_is_entered_where_the_traceback_shows_it():
    source = """
H = tf.constant([1.0, 0.0])
def step(x, z):
    return H @ x
def run(zs):
    return tf.scan(step, zs)
run(tf.zeros((9, 2, 1)))
"""
    calls = ("<module>", "run(tf"), ("run", "return tf.scan"), ("step", "return H")
    found = constraint(source, *calls, dims=(2,), frame_shapes={"step": {"x": [2, 1]}})
    assert found is not None and found.relation == "rank"
