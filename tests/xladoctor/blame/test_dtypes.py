"""Of two types that do not agree, which line is the first suspect."""

from __future__ import annotations

import pytest

from xladoctor.blame.crash import Crash
from xladoctor.blame.dtypes import of_types
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
