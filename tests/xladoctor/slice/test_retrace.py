"""A failed program that is run a second time, line by line: traced functions and generators among its lines."""

from __future__ import annotations

import json

import pytest

from tests.xladoctor.slice.scanned import scan

pytestmark = pytest.mark.slow

PROGRAM = """\
import tensorflow as tf


def rows():
    for _ in range(4):
        row = tf.ones([5, 3])
        yield tf.transpose(row)


@tf.function
def scores(x, w):
    if tf.reduce_sum(x) > 0.0:
        y = x * 2.0
    else:
        y = x
    return tf.matmul(y, w)


data = tf.data.Dataset.from_generator(rows, output_signature=tf.TensorSpec((None, None)))
for element in data:
    scores(element, tf.ones([3, 2]))
"""


def test_lines_of_traced_functions_and_of_generators_are_seen_and_the_size_is_found(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    program = elsewhere / "scores.py"
    program.write_text(PROGRAM)
    run = scan(tmp_path / "work", str(program), options=("--retrace", "--no-replay"))
    told = json.loads((run.folder / "retrace.json").read_text())
    found = {(row["line"], row["name"]): row["shape"] for row in told["shapes"] if row["file"] == str(program)}
    assert found[6, "row"] == [5, 3], "TensorFlow calls the generator in a thread of its own"
    assert found[20, "element"] == [3, 5]
    assert found[11, "w"] == [3, 2], "AutoGraph's copy is mapped back"
    assert (12, "vars_[0]") not in found
    texts = [proof["text"] for proof in run.root["evidence"]]
    assert any("In a second run, 5 is first a size of `row`" in text and "scores.py:6" in text for text in texts)
    assert not list(tmp_path.glob("**/.work")), "no copy is left"
