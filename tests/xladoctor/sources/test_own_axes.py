"""A reshape that gives an array its own sizes in another order, and one of three arrays that keeps its old order."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.slips.own_axes import own_axes
from xladoctor.sources.slips.shuffled_alone import shuffled_alone


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("tf.reshape(x, (-1, x.shape[2], x.shape[3], x.shape[1]))", True),
        ("x.reshape(x.shape[0], x.shape[2], x.shape[1])", True),
        ("tf.reshape(x, [tf.shape(x)[0], tf.shape(x)[2], tf.shape(x)[1]])", True),
        ("tf.reshape(x, (x.shape[0], -1, x.shape[3]))", False),
        ("tf.reshape(x, (x.shape[0] * x.shape[1], x.shape[2]))", False),
        ("tf.reshape(x, (-1, y.shape[2], y.shape[1]))", False),
        ("tf.transpose(x, (0, 2, 1))", False),
        ("tf.reshape(x, (-1, x.shape[2], x.shape[3], 1))", False),
    ],
)
def test_own_sizes_in_another_order(line, found):
    assert bool(list(own_axes(ast.parse(f"y = {line}")))) == found


MIX = """
def mix(frames, moves, {third}, rng):
    order = rng.permutation(len(frames))
    return frames[order], moves[order], {given}
"""


@pytest.mark.parametrize(
    ("third", "given", "found"),
    [
        ("corners", "corners", True),
        ("corners", "corners[order]", False),
        ("class_names", "class_names", False),
        ("side", "side", False),
    ],
)
def test_one_of_three_that_keeps_its_old_order(third, given, found):
    assert bool(list(shuffled_alone(ast.parse(MIX.format(third=third, given=given))))) == found
