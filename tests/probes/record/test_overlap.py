"""Validation rows that are training rows, and one-hot labels that were counted from 1: of arrays alone."""

from __future__ import annotations

import numpy as np

from probes.record.overlap import shared_rows, unnamed_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 4)).astype("float32")
HOT = np.eye(4, dtype="float32")


def test_rows_that_stand_on_both_sides_are_counted():
    assert shared_rows(X[:150], X[100:]) == [50, 100]
    drawn = X[RNG.integers(0, 200, 300)]
    shared, rows = shared_rows(drawn[:200], drawn[200:])
    assert rows == 100 and 30 < shared < 100


def test_parts_that_are_apart_have_none():
    assert shared_rows(X[:150], X[150:]) == [0, 50]
    assert shared_rows(X[:150], X[148:]) == [0, 52]  # two may be chance


def test_all_rows_may_be_meant():
    assert shared_rows(X, X) == [0, 200]
    assert shared_rows(X, X[:50]) == [0, 50]


def test_rows_of_codes_are_alike_by_chance():
    codes = RNG.integers(0, 3, (200, 2)).astype("float32")
    assert shared_rows(codes[:150], codes[100:]) is None
    assert shared_rows(X.astype("int32"), X.astype("int32")) is None
    assert shared_rows([[1.0]], X) is None


def test_one_hot_labels_that_begin_at_1():
    kinds = np.arange(60) % 4 + 1
    hot = np.stack([HOT[k] if k < 4 else np.zeros(4, "float32") for k in kinds])
    assert unnamed_rows(hot) == [15, 60]
    assert unnamed_rows(HOT[kinds - 1]) is None


def test_rows_that_are_of_no_class_on_purpose():
    kinds = np.arange(60) % 4
    hot = HOT[kinds]
    hot[::7] = 0
    assert unnamed_rows(hot) is None
    assert unnamed_rows(kinds) is None and unnamed_rows(np.zeros((60, 4))) is None
