"""The arrays that a pipeline is cut from, and whether all their rows come out of it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from probes.record.datasets import slices


class TensorSliceDataset:
    def __init__(self, *arrays):
        self._tensors = arrays

    def _inputs(self):
        return []


def stage(name, given, **facts):
    made = type(f"_{name}Dataset", (), {"_inputs": lambda self: [given]})()
    made.__dict__.update(facts, _input_dataset=given)
    return made


def number(n):
    return SimpleNamespace(numpy=lambda: n)


@pytest.mark.parametrize(("name", "whole"), [("Shuffle", True), ("Take", False), ("Skip", False)])
def test_rows_that_are_left_out(name, whole):
    x, y = np.ones((6, 2)), np.ones(6)
    data = stage("Batch", stage(name, TensorSliceDataset(x, y)), _batch_size=number(4))
    assert slices(data) == ([x, y], 4)
    assert (slices(data, all_rows=True) is not None) is whole
