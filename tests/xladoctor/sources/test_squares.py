"""Squares in each row of an array, reshaped where they should be transposed."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.slips import squares

CLASS = """
class Set:
    def views(self):
        near = self.tiles[self.near]
        near = near / np.sqrt(self.level)
        return {}
"""
CALL = "def packed(tiles):\n    return {}\nout = packed(four)\n"
WRONG = {
    "squares of an object": CLASS.format("near.reshape(len(near), size(), size(), -1)"),
    "by numbers": CLASS.format("np.reshape(near, (near.shape[0], 16, 16, 3))"),
    "of a parameter": CALL.format("tf.reshape(tiles, [len(tiles), side, side, -1])"),
}
RIGHT = {
    "a transpose": CLASS.format("np.transpose(near, (0, 2, 3, 1))"),
    "flat squares": CLASS.format("near.reshape(len(near), 3, 256, 1)"),
    "each square alone": CLASS.format("near.reshape(-1, 16, 16, 1)"),
    "blocks of a square": CLASS.format("near.reshape(len(near), 8, 2, -1)"),
    "after a transpose": CLASS.format("near.transpose(0, 2, 3, 1).reshape(len(near), 16, 16, -1)"),
    "one square in each row": CALL.format("tiles.reshape(len(tiles), side, side, -1)").replace("four", "one"),
    "by a mask": CLASS.format("near.reshape(len(near), size(), size(), -1)").replace("self.near]", "self.good]"),
    "flat before": CALL.format("flat.reshape(len(flat), side, side, -1)"),
}  # fmt: skip
HELD = {
    ("<module>", "four"): Held("array", (9, 4, 16, 16), "float32"),
    ("<module>", "one"): Held("array", (9, 1, 16, 16), "float32"),
    ("<module>", "flat"): Held("array", (9, 1024), "float32"),
} | {
    ("<module>", f"{name}.{field}"): Held("array", shape, dtype, of="Set")
    for name, rows in (("first", 20), ("second", 30))
    for field, shape, dtype in (("tiles", (rows, 16, 16), "float32"), ("near", (rows, 3), "int64"),
                                ("good", (rows, 3), "bool"))
}  # fmt: skip


def _lines(text: str) -> list[int]:
    tree = ast.parse(text)
    return [slip.line for slip in squares.faults(View("a.py", tree, Backward({"a.py": tree}), HELD))]


@pytest.mark.parametrize("name", WRONG)
def test_a_reshape_for_a_transpose(name):
    assert len(_lines(WRONG[name])) == 1


@pytest.mark.parametrize("name", RIGHT)
def test_what_keeps_the_squares(name):
    assert _lines(RIGHT[name]) == []
