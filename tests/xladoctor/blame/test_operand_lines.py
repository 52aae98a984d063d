"""The operand of double width, by what the message says of it."""

from __future__ import annotations

import pytest

from tests.xladoctor.blame.programs import blamed, lines

SOURCE = """
import numpy as np
import tensorflow as tf
from beam import frames, mask, table
class Fit:
    def __init__(self):
        self.table = tf.constant(table)
        self.frames = tf.constant(frames)
        self.mask = tf.constant(mask)
    def step(self, numbers):
        measured = tf.gather(self.frames, numbers)
        return OPERATION
fit = Fit()
fit.step([1, 2])
"""
FRAMES, MASK = "self.frames = tf.constant(frames)", "self.mask = tf.constant(mask)"
NAMED = "Input '{}' of 'Sub' Op has type {} that does not match type {} of argument '{}'."
COUNTED = "cannot compute Sub as input #{}(zero-based) was expected to be a {} tensor but is a {} tensor [Op:Sub]"


@pytest.mark.parametrize(
    ("operation", "message", "first"),
    [
        ("self.mask - measured", NAMED.format("y", "float64", "float32", "x"), FRAMES),
        ("self.mask - measured", NAMED.format("y", "float32", "float64", "x"), MASK),
        ("measured - self.mask", COUNTED.format(1, "float", "double"), MASK),
        ("measured - self.mask", COUNTED.format(1, "double", "float"), FRAMES),
    ],
)
def test_the_line_of_the_double_operand(operation, message, first):
    source = SOURCE.replace("OPERATION", operation)
    found = blamed(
        source,
        ("<module>", "fit.step"),
        ("step", f"return {operation}"),
        slug="dtype-mismatch",
        message=message,
        op="Sub",
    )
    assert lines(found)[0] == first
