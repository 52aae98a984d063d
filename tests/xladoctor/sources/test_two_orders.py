"""Components of positions and parts of sizes: in one order where they are made, in another where they are taken."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.components import component, role
from xladoctor.sources.slips.two_orders import two_orders

SCAN = """
import numpy as np
from dataclasses import dataclass
@dataclass
class Data:
    images: np.ndarray
    offsets: np.ndarray
def coords(xs, ys):
    '''Positions as ({said}).'''
    return np.stack([{stack}], axis=1)
def relative(positions):
    centres = positions.mean(axis=1, keepdims=True)
    return centres, positions - centres
def load(raw, groups):
    found = coords(raw.xs, raw.ys)[groups]
    {flip}
    centres, offsets = relative(found)
    return Data(images=raw.images[groups], offsets=offsets.astype("float32"))
"""
LAYER = """
import tensorflow as tf
class Place(tf.keras.layers.Layer):
    def call(self, inputs):
        images, offsets = inputs
        return shift(images, tf.reshape(offsets, (-1, 2)))
def shift(images, moves):
    dy = tf.range(8.0)[None] - moves[:, {row}, None]
    dx = tf.range(8.0)[None] - moves[:, 1]
    return warp(images, dy, dx)
"""


def found(**texts):
    trees = {f"{name}.py": ast.parse(text) for name, text in texts.items()}
    return [(file, trees[file], slip) for file, slip in two_orders(trees)]


def lines(texts, **more):
    return [texts[file.removesuffix(".py")].splitlines()[slip.line - 1].strip() for file, _, slip in found(**texts)]


HANDED = "found = coords(raw.xs, raw.ys)[groups]"
FLIP = "found = found[..., ::-1]"


@pytest.mark.parametrize(
    ("said", "stack", "flip", "row", "wrong"),
    [
        ("y, x", "ys, xs", "pass", 0, []),
        ("x, y", "xs, ys", FLIP, 0, []),
        ("x, y", "xs, ys", "found = np.flip(found, axis=-1)", 0, []),
        ("x, y", "xs, ys", "pass", 0, [HANDED]),
        ("y, x", "ys, xs", FLIP, 0, [FLIP]),
        ("y, x", "xs, ys", "pass", 0, ["return np.stack([xs, ys], axis=1)"]),
        ("n, two", "xs, ys", "pass", 0, ["return np.stack([xs, ys], axis=1)"]),
        ("y, x", "ys, xs", "pass", 1, ["dy = tf.range(8.0)[None] - moves[:, 1, None]"]),
        ("a, b", "these, those", "pass", 0, []),
    ],
)
def test_components_are_followed_to_where_they_are_taken(said, stack, flip, row, wrong):
    texts = {"scan": SCAN.format(said=said, stack=stack, flip=flip), "layer": LAYER.format(row=row)}
    assert lines(texts) == wrong


TABLE = """
def read(table):
    return table[["{one}_um", "{two}_um"]].to_numpy() * 1e-6
def place(canvas, images, positions):
    for image, (y, x) in zip(images, positions):
        canvas[y:y + 8, x:x + 8] += image
place(canvas, images, read(table))
place(canvas, others, elsewhere)
"""


@pytest.mark.parametrize(("one", "two", "wrong"), [("motor_y", "motor_x", 0), ("motor_x", "motor_y", 1)])
def test_columns_of_a_table_that_a_loop_takes_apart(one, two, wrong):
    assert len(found(table=TABLE.format(one=one, two=two))) == wrong


WINDOWS = """
def first(window):
    rows, columns = window
def second(window):
    rows, columns = window
def third(window):
    {third} = window
def fourth(window):
    {fourth} = window
"""


@pytest.mark.parametrize(
    ("third", "fourth", "wrong"),
    [
        ("rows, columns", "columns, rows", 1),
        ("columns, rows", "columns, rows", 0),
        ("rows, columns", "columns, others", 0),
        ("rows, columns", "rows, columns", 0),
    ],
)
def test_sizes_that_one_line_takes_in_another_order(third, fourth, wrong):
    assert len(found(windows=WINDOWS.format(third=third, fourth=fourth))) == wrong


def test_names_and_numbers_of_components():
    assert (role("motor_x_um"), role("ycoords"), role("xy"), role("x_y"), role("step")) == (
        "columns",
        "rows",
        "",
        "",
        "",
    )
    texts = ["m[:, 0]", "m[..., 1, None]", "m[:, 0, :]", "m[rows, 0]", "m[0]", "m[:, 2]", "m[:, True]"]
    assert [component(ast.parse(t, mode="eval").body) for t in texts] == [0, 1, None, None, None, None, None]


PLACED = """
from dataclasses import dataclass
import numpy as np
@dataclass
class Placement:
    corners: np.ndarray
def place(positions):
    return Placement(np.floor(positions / 2.0).astype(int))
def simulated(ys, xs):
    return place(np.stack([ys, xs], axis=1))
def measured(table):
    return place(table[[{columns}]].to_numpy())
def indices(corners, width):
    y = corners[:, 0, None]
    return y * width + corners[:, 1, None]
indices(simulated(a, b).corners, 8)
indices(measured(t).corners, 8)
"""


@pytest.mark.parametrize(("columns", "wrong"), [('"y_um", "x_um"', 0), ('"x_um", "y_um"', 1)])
def test_one_of_two_callers_that_gives_another_order(columns, wrong):
    told = lines({"placed": PLACED.format(columns=columns)})
    assert told == ['return place(table[["x_um", "y_um"]].to_numpy())'] * wrong
