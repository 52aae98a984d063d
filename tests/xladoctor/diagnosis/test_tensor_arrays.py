"""The line that made a TensorArray, found from the line that wrote to it."""

from __future__ import annotations

import ast

import pytest

from xladoctor.diagnosis.tensor_arrays import makers
from xladoctor.model.diagnosis import Location

ONE = """\
import tensorflow as tf

def roll(x, n):
    other = tf.TensorArray(tf.float32, size=3)
    states = tf.TensorArray(tf.float32, size=10)
    for t in tf.range(n):
        states = states.write(t, x)
    return states.stack(), other.stack()
"""
HELPER = """\
from tensorflow import TensorArray

def store(size):
    return TensorArray('float32', size)

def put(array, t, x):
    return array.write(t, x)

kept = store(4)
kept = put(kept, 5, 1.0)
"""
FIELD = """\
import tensorflow as tf

class Cell:
    def __init__(self):
        self.out = tf.TensorArray(tf.float32, 4)

    def call(self, x):
        return self.out.unstack(x).stack()
"""


@pytest.mark.parametrize(
    ("source", "line", "made"),
    [(ONE, 7, [5]), (ONE, 6, []), (HELPER, 7, [4]), (FIELD, 8, [5]), ("x.write(1)\n", 1, []), ("", 3, [])],
    ids=["one-of-two", "another-line", "through-functions", "attribute", "none", "empty"],
)
def test_the_makers_of_the_array_of_a_line(source, line, made):
    trees = {"t.py": ast.parse(source)}
    assert [at for _, at in makers(trees, Location("t.py", line))] == made
