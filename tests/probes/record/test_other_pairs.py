"""Labels of other rows: what arrays that the program holds say of the pairs of a training."""

from __future__ import annotations

import numpy as np
import pytest

from probes.record import other_pairs as module
from probes.record.other_pairs import arrays_around, other_pairs

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(200, 4)).astype("float32")
BENT = np.where(ROWS[:, 0] * ROWS[:, 1] > 0, 1.0, 0.0) + np.where(ROWS[:, 2] > 1, 1.0, 0.0)
LABELS = {"line": ROWS @ [1.0, 2.0, -1.0, 0.5], "classes": BENT.astype("int64"), "of two": ROWS[:, :2] * 3 + 1}
ORDER = np.random.default_rng(1).permutation(200)


@pytest.fixture
def holds(monkeypatch):
    def these(**arrays):
        monkeypatch.setattr(module, "arrays_around", lambda rows: iter(arrays.items()))

    return these


@pytest.mark.parametrize("kind", LABELS)
def test_rows_and_labels_that_were_shuffled_apart(kind, holds):
    y, other = LABELS[kind], RNG.permutation(200)
    holds(x=ROWS, y=y)
    found = other_pairs(ROWS[ORDER], y[other])
    assert found["names"] == ["x", "y"] and found["argument"] == "x" and found["rows"][1] == 200
    holds(xs=ROWS[ORDER], ys=y[other], x=ROWS, y=y)  # what is given has names, too
    assert other_pairs(ROWS[ORDER], y[other])["names"] == ["x", "y"]
    assert found["numbers"][0] < 0.25 < 0.5 < found["numbers"][1]
    assert other_pairs(ROWS, y[other])["argument"] == "y"
    assert other_pairs(ROWS[ORDER], y[ORDER]) is None
    assert other_pairs(ROWS[ORDER][:150], y[ORDER][:150]) is None


def test_pairs_that_are_right_although_two_arrays_have_others(holds):
    y = LABELS["line"]
    holds(x=ROWS, y=y[ORDER], z=RNG.permutation(y))  # labels of a file in another order, which were joined by key
    assert other_pairs(ROWS, y) is None
    holds(x=ROWS, noise=RNG.normal(size=200))
    assert other_pairs(ROWS, RNG.permutation(y)) is None
    noise = RNG.normal(size=200)
    holds(x=ROWS, y=noise)  # nothing follows in either pairs
    assert other_pairs(ROWS, RNG.permutation(noise)) is None
    holds(
        given=ROWS, labels=y, x=ROWS[ORDER], y=y
    )  # labels of the same numbers, and the pairs that are given are right
    assert other_pairs(ROWS, y) is None
    holds(x=ROWS[:20], y=y[:20])
    assert other_pairs(ROWS[:20], y[:20][::-1]) is None


def test_a_part_of_the_labels_that_were_taken_in_another_order(holds):
    y = LABELS["line"].astype("float32")
    holds(x=ROWS[ORDER], y=y[ORDER])
    found = other_pairs(ROWS[ORDER][:150], y[:150])
    assert found["names"] == ["x", "y"] and found["argument"] == "y"


def test_the_columns_of_a_table(monkeypatch):
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(ROWS, columns=list("abcd")).assign(name="n", goal=LABELS["line"])
    monkeypatch.setattr(module, "is_user_file", lambda file: file == __file__)
    found = dict(arrays_around(ROWS[50:100, :2]))
    assert (found["table[...]"] == ROWS[:, :2]).all() and found["table['goal']"].shape == (200,)
    assert len(table) == 200 and "table['name']" not in found
    assert "table[...]" not in dict(arrays_around(ROWS[:, :2] * 2))


def test_what_is_held(monkeypatch):
    class Batches:
        def __init__(self):
            self.inputs, self.size = ROWS, 3

    monkeypatch.setattr(module, "is_user_file", lambda file: file == __file__)
    batches, few, text = Batches(), ROWS[:5], "abc"
    found = dict(arrays_around(ROWS[:50]))
    assert found["batches.inputs"] is ROWS and "few" not in found and "text" not in found and len(text) + len(few)
    assert not [n for n in found if n.endswith("size")] and batches.size == 3
