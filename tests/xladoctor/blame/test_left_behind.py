"""Lines that do not go along with what was done beside them."""

from __future__ import annotations

import pytest

from .programs import blamed

PICKED = """
import tensorflow as tf
class Fit:
    def __init__(self):
        self.x, self.y = tf.zeros((64, 3)), tf.zeros((64, 1))
        self.weights = tf.ones(64)
    def step(self, x, y, w):
        misfit = tf.reduce_sum((x - y) ** 2, axis=1)
        return tf.reduce_mean(w * misfit)
    def update(self, pick):
        return self.step(
            tf.gather(self.x, pick),
            tf.gather(self.y, pick),
            {weights},
        )
Fit().update(tf.range(16))
"""


@pytest.mark.parametrize(("weights", "found"), [("self.weights", True), ("tf.gather(self.weights, pick)", False)])
def test_an_argument_of_all_rows_beside_some(weights: str, found: bool) -> None:
    told = blamed(
        PICKED.format(weights=weights), ("<module>", "Fit().update"), ("update", "return self.step"),
        ("step", "w * misfit"), dims=(64, 16), slug="broadcast-mismatch", message="[64] vs. [16]",
    )  # fmt: skip
    assert told is not None
    assert any(s.code == f"{weights}," and "beside" in s.reason for s in told.suspects[:2]) == found


BEFORE = """
import numpy as np
import tensorflow as tf
class Graph:
    def __init__(self, labels):
        self.labels = labels
    def without_isolated(self):
        return Graph(self.labels[self.labels > 0])
def masks(n):
    return np.arange(n) < 30
def loss(logits, mask):
    return tf.boolean_mask(logits, mask)
def main():
    graph = Graph(np.arange(150))
    {first}
    {second}
    return loss(tf.zeros(len(graph.labels)), train)
main()
"""
MADE, CUT = "train = masks(len(graph.labels))", "graph = graph.without_isolated()"


@pytest.mark.parametrize(("first", "second", "found"), [(MADE, CUT, True), (CUT, MADE, False)])
def test_a_value_that_was_made_before_rows_were_left_out(first: str, second: str, found: bool) -> None:
    told = blamed(
        BEFORE.format(first=first, second=second), ("<module>", "main()"), ("main", "return loss"),
        ("loss", "boolean_mask"), dims=(149, 150), slug="broadcast-mismatch", message="[149] and [150]",
    )  # fmt: skip
    assert any("is made of all of `graph`" in s.reason for s in told.suspects[:1] if told) == found  # type: ignore


AXIS = """
import tensorflow as tf
def training_set(images, batch):
    ds = tf.data.Dataset.from_tensor_slices(images)
    return ds.map(lambda i: i[..., tf.newaxis]).batch(batch)
def evaluation_set(images, batch):
    ds = tf.data.Dataset.from_tensor_slices(images)
    return ds.map(lambda i: {value}).batch(batch)
net = tf.keras.layers.Conv2D(8, 3)
for x in training_set(tf.zeros((60, 32, 32)), 30):
    net(x)
for x in evaluation_set(tf.zeros((60, 32, 32)), 30):
    scores = net(x)
"""


@pytest.mark.parametrize(("value", "found"), [("i / 255.0", True), ("i[..., tf.newaxis]", False)])
def test_a_pipeline_without_the_axis_that_its_sibling_adds(value: str, found: bool) -> None:
    told = blamed(
        AXIS.format(value=value), ("<module>", "scores = net"), dims=(30, 32, 32), slug="keras-input-mismatch",
        message="expected min_ndim=4, found ndim=3", op="Conv2D",
    )  # fmt: skip
    assert any("`training_set` adds one" in s.reason for s in (told.suspects if told else ())[:2]) == found


STACKED = """
import tensorflow as tf
def taken(q, actions):
    rows = tf.range(32)
    where = tf.stack([rows, actions]{axis})
    return tf.gather_nd(q, where)
taken(tf.zeros((32, 2)), tf.zeros(32, tf.int32))
"""


@pytest.mark.parametrize(("axis", "found"), [("", True), (", axis=1", False)])
def test_places_whose_parts_are_along_the_first_axis(axis: str, found: bool) -> None:
    told = blamed(
        STACKED.format(axis=axis), ("<module>", "taken(tf"), ("taken", "gather_nd"), dims=(32, 2),
        slug="index-out-of-range", message="index innermost dimension length must be <= params rank; saw: 32 vs. 2",
    )  # fmt: skip
    assert any("along the first axis; `gather_nd`" in s.reason for s in (told.suspects if told else ())) == found


GRID = """
import numpy as np
def starts(n, width{more}):
    ticks = np.arange(0, n, 4)
    return np.stack([ticks, ticks], axis=1)
def cut(image, corners):
    return np.array([image[r : r + 8, c : c + 8] for r, c in corners])
cut(np.zeros((30, 30)), starts(30, {given}))
"""


def test_the_line_that_counts_the_starts_of_windows_is_the_one_that_leaves_a_parameter_unread() -> None:
    told = blamed(
        GRID.format(more="", given="8"), ("<module>", "cut(np"), ("cut", "np.array"), dims=(8, 2),
        slug="concat-pack-mismatch", message="inhomogeneous shape",
    )  # fmt: skip
    said = [s for s in (told.suspects if told else ()) if "`width`" in s.reason]
    assert [s.code for s in said] == ["ticks = np.arange(0, n, 4)"]
