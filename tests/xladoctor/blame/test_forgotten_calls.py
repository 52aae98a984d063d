"""A function of the program that nothing calls, and after which all sizes fit."""

from __future__ import annotations

import pytest

from xladoctor.blame.forgotten_calls import uncalled
from xladoctor.sources.files import Files

from .programs import blamed

HELPERS = """
import tensorflow as tf
def join(parts):
    return tf.pad(parts, [[0, 0], [3, 3], [3, 3], [0, 0]])
def trim(x):
    return x[:, 3:-3, 3:-3, :]
"""
PROGRAM = """
import numpy as np
import tensorflow as tf
import helpers
def build():
    inp = tf.keras.Input((30, 30, 1))
    out = helpers.join(inp)
    return tf.keras.Model(inp, out)
net = build()
net.compile("adam", "mae")
net.fit(np.zeros((8, 30, 30, 1)), np.zeros((8, 30, 30, 1)))
"""
SAYS = "`helpers.trim`, which nothing calls, would give it a shape with which all sizes fit."


@pytest.mark.parametrize(("more", "found"), [("", True), ("shown = helpers.trim\n", False)])
def test_a_call_that_was_forgotten(more: str, found: bool) -> None:
    told = blamed(
        PROGRAM + more, ("<module>", "net.fit"), dims=(30, 36), more={"/work/helpers.py": HELPERS},
        message="Dimensions must be equal, but are 30 and 36 for sub with input shapes: [?,30,30,1], [?,36,36,1].",
        slug="broadcast-mismatch",
    )  # fmt: skip
    assert told is not None
    assert [s.code for s in told.suspects[:1] if s.reason == SAYS] == (["out = helpers.join(inp)"] if found else [])


def test_what_counts_as_a_function_that_nothing_calls() -> None:
    source = """
def one(x): return x
def two(x, y): return x
def with_default(x, y=2): return x
def main(argv): return argv
def called(x): return x
def by_name(x): return x
def shows(x): print(x)
called(table["by_name"])
"""
    files = Files({"/a.py": source}.get)
    assert [u.node.name for u in uncalled(["/a.py"], files)] == ["one", "with_default"]
    many = "\n".join(f"def f{i}(x): return x" for i in range(9))
    assert not uncalled(["/b.py"], Files({"/b.py": many}.get))
