"""The line that made a TensorArray, found from the line that wrote to it."""

from __future__ import annotations

import ast

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import tensor_arrays as module
from xladoctor.diagnosis.tensor_arrays import makers
from xladoctor.model.diagnosis import Location
from xladoctor.recording.run import read_run

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


SIZED = """\
import tensorflow as tf

class Path:
    def slots(self):
        return self.steps // self.every

    def run(self, x):
        kept = tf.TensorArray(tf.float32, size=self.slots())
        kept = kept.write(9, x)
        return kept.stack()
"""


def test_the_maker_and_the_size_of_an_array_are_suspects_of_a_line_that_writes_out_of_it(monkeypatch, tmp_path):
    recording = read_run(Run().write(tmp_path / "run"))
    for text, lines in ((SIZED, [8, 5]), (SIZED.replace("self.slots()", "12"), [8]), ("x.write(1)\n", [])):
        trees = {"t.py": ast.parse(text)}
        monkeypatch.setattr(module, "program_of", lambda recording, file, trees=trees: trees)
        found = module.array_makers(recording, Location("t.py", 9))
        assert [s.location.line for s in found] == lines
    assert module.array_makers(recording, None) == ()
