"""Of two types that do not agree, which line is the first suspect."""

from __future__ import annotations

import pytest

from xladoctor.blame.crash import Crash
from xladoctor.blame.dtypes import of_types, types_of
from xladoctor.sources.files import Files

SOURCE = """import numpy as np
beam = load("beam").astype(np.complex64)
moves = load("moves").astype(np.float64)
waves = beam * tf.complex(moves, 0.0 * moves)
counts = load("counts").astype("int64")
"""
LINES = {("main.py", line): line for line in range(1, 6)}


@pytest.mark.parametrize(
    ("message", "first"),
    [
        ("Input `y` of Mul is complex64 and does not match complex128.", [3, 2]),
        ("cannot compute Mul: expected a int64 tensor but it is a float64 tensor", [3, 5]),
    ],
)
def test_a_double_part_is_the_stranger_among_complex_numbers(message, first):
    files = Files(lambda name: SOURCE if name == "main.py" else None)
    crash = Crash((), message, slug="dtype-mismatch")
    found = sorted(of_types(LINES, crash, files), key=lambda c: (-c.weight, c.line))
    assert [c.line for c in found] == first


def test_types_of_what_a_layer_received_are_no_part_of_the_disagreement() -> None:
    """A message of Keras prints the types of all arguments after the two that differ."""
    said = "Input 'y' of 'Mul' Op has type complex128 that does not match type complex64 of argument 'x'."
    received = "\n\nArguments received by Net.call():\n  * x=tf.Tensor(shape=(3,), dtype=float32)"
    assert types_of(said + received) == {"complex64", "complex128"}
