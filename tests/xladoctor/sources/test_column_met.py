"""A column of predictions beside numbers of one axis."""

from __future__ import annotations

import ast

import pytest

from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.slips import column_met

MODEL = """
import numpy as np
def build():
    return keras.Sequential([layers.Dense(8), layers.Dense({units})])
def spread(model, x, y):
    guess = model.predict(x)
    {line}
    return np.quantile(gap, 0.9)
"""


@pytest.mark.parametrize(
    ("units", "line", "shape", "found"),
    [
        (1, "gap = np.abs(y - guess)", (60,), True),
        (1, "gap = np.exp(guess) / y", (60,), True),
        (1, "gap = guess[:, :1] * y", (60,), True),
        (1, "gap = np.abs(y - guess[:, 0])", (60,), False),
        (1, "gap = np.abs(y - guess.ravel())", (60,), False),
        (1, "gap = np.abs(y[:, None] - guess)", (60,), False),
        (1, "gap = np.abs(y - guess)", (60, 1), False),
        (3, "gap = np.abs(y - guess)", (3,), False),
        (1, "gap = guess - 1.0", (60,), False),
    ],
)
def test_a_column_beside_numbers(units: int, line: str, shape: tuple[int, ...], found: bool) -> None:
    tree = ast.parse(MODEL.format(units=units, line=line))
    views: dict[str, View] = {}
    held = {("spread", "y"): Held(kind="array", shape=shape, dtype="float32")}
    views["train.py"] = View("train.py", tree, Backward({"train.py": tree}), held, views)
    assert [s.line for s in column_met.faults(views["train.py"])] == ([7] if found else [])
