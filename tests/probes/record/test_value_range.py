"""Between which numbers the values of a tensor lie, by the ops that made it."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from probes.record.value_range import range_of


def op(kind: str, *inputs: Any, value: float | None = None) -> Any:
    return SimpleNamespace(op=SimpleNamespace(type=kind, inputs=inputs), value=value)


def number(value: float) -> Any:
    return op("Const", value=value)


@pytest.fixture(autouse=True)
def library(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace(get_static_value=lambda t: np.float32(t.value)))


UNIT, FREE = op("Sigmoid", op("BiasAdd")), op("BiasAdd")


@pytest.mark.parametrize(
    ("tensor", "wanted"),
    [
        (UNIT, (0, 1)),
        (op("Minimum", op("Maximum", UNIT, number(0.25)), number(0.75)), (0, 1)),
        (op("Mul", op("AddV2", UNIT, number(1.0)), number(0.5)), (0.5, 1)),
        (op("Sub", number(1.0), UNIT), (0, 1)),
        (op("Sub", UNIT, number(1.0)), (-1, 0)),
        (op("RealDiv", UNIT, number(4.0)), (0, 0.25)),
        (op("ConcatV2", UNIT, op("Sub", number(1.0), UNIT), number(1)), (0, 1)),
        (op("Mean", op("Softmax", FREE), number(1)), (0, 1)),
        (op("Mul", UNIT, UNIT), (0, 1)),
        (op("Mul", UNIT, FREE), None),
        (op("RealDiv", op("AddV2", UNIT, UNIT), number(2.0)), (0, 1)),
        (op("Sub", op("Mul", number(8.0), UNIT), number(4.0)), (-4, 4)),
        (op("RealDiv", UNIT, UNIT), None),
        (op("Maximum", FREE, number(0.0)), None),
        (op("Log", UNIT), None),
        (FREE, None),
    ],
)
def test_the_range_of_a_tensor(tensor, wanted):
    assert range_of(tensor) == (None if wanted is None else pytest.approx(wanted))
