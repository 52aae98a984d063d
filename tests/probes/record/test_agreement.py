"""What numbers say of a score: tables of all pairs, distances row by row, predictions that are of other rows."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from probes.record.agreement import apart, distance_of, of_pairs
from probes.record.held_names import NameRecorder
from probes.record.outputs import Outputs
from probes.record.scored import ScoreRecorder
from probes.record.tables import TableRecorder

DRAW = np.random.default_rng(0)
P = DRAW.normal(size=(60, 1)).astype("float32")
Y = (P[:, 0] + DRAW.normal(scale=0.3, size=60)).astype("float32")
CLASSES, GUESSES = DRAW.integers(0, 3, 60), DRAW.integers(0, 3, (60, 1))
PAIRS = {
    "difference": P - Y,
    "square": (P - Y) ** 2,
    "size": np.abs(P - Y),
    "weights": Y * np.abs(P - DRAW.normal(size=(60, 1))),
    "entropy": -((Y > 0) * np.log(1 / (1 + np.exp(-P))) + (Y <= 0) * np.log(1 / (1 + np.exp(P)))),
    "classes": GUESSES == CLASSES,
    "two classes": (P > 0) == (Y > 0.2),
}
OTHERS = {
    "numbers": DRAW.normal(size=(60, 60)),
    "pairs of one thing": (P - P[:, 0]) ** 2,
    "one thing": P[:, 0] == P,
    "a picture": np.outer(np.hanning(60), np.hanning(60)),
    "rows alone": np.repeat(P, 60, axis=1),
    "columns alone": np.tile(Y, (60, 1)),
    "a product": DRAW.normal(size=(60, 9)) @ DRAW.normal(size=(9, 60)),
    "a mask": DRAW.random((60, 60)) > 0.5,
    "few": (P - Y)[:4, :4],
    "not finite": np.full((60, 60), np.nan),
    "zeros": np.zeros((60, 60)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_table_of_all_pairs_of_two_columns(name):
    assert of_pairs(PAIRS[name])


@pytest.mark.parametrize("name", OTHERS)
def test_other_tables(name):
    assert not of_pairs(OTHERS[name])


def test_which_distance_it_is():
    guess = P[:, 0]
    assert distance_of(guess - Y, guess, Y) == "difference" and distance_of((guess - Y) ** 2, guess, Y) == "square"
    assert distance_of(abs(guess - Y), guess, Y) == "size"
    assert distance_of(abs(guess), guess, Y) is None and distance_of(guess, guess, guess) is None
    assert distance_of(abs(guess - Y), guess[::-1], Y) is None


def test_predictions_that_are_close_by_rows_alone():
    rows, order = np.arange(60), DRAW.permutation(60)
    here, there = apart(P[order, 0], Y, order, rows)
    assert abs(here) < 0.3 < 0.9 < there
    assert apart(P[:, 0], Y, rows, rows) is None
    assert apart(DRAW.normal(size=60), Y, order, rows) is None  # no better in any order
    assert apart(P[order, 0], Y, order % 30, rows) is None  # rows of something else


class _Written:
    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []

    def write(self, kind: str, **event: Any) -> None:
        self.events.append({"kind": kind, **event})


def _recorder():
    guard: Any = SimpleNamespace(sink=_Written(), part=lambda what, fn, *args: fn(*args))
    outputs = Outputs()
    return ScoreRecorder(guard, outputs, NameRecorder(guard)), outputs, guard.sink


X = DRAW.normal(size=(90, 3)).astype("float32")
TRUE = X[:, 0] * 2 + np.sin(X[:, 1])
ORDER = DRAW.permutation(90)


def _scores(function):
    """What is said of a function that gets `score`, and `model`."""
    recorder, outputs, sink = _recorder()

    def model(rows):
        gave = rows[:, :1] * 2 + np.sin(rows[:, 1:2]) + np.float32(0.05) * rows[:, 2:]
        outputs.take(rows, gave, {"file": "a.py", "line": 3, "function": "f"})
        return gave

    def score(value):
        recorder.reduced(value, sys._getframe(1))

    function(score, model)
    recorder.at_exit()
    return [e for e in sink.events if e["kind"] == "score"]


def test_a_score_of_predictions_in_another_order():
    def sorted_and_left(score, model):
        x, y = X, TRUE
        guess = np.concatenate([model(x[ORDER[i : i + 40]]) for i in range(0, 90, 40)])[:, 0]
        score((guess - y) ** 2)

    (found,) = _scores(sorted_and_left)
    assert found["what"] == "apart" and found["names"] == ["guess", "y", "x", "y"] and found["rows"][0] == 90
    assert abs(found["numbers"][0]) < 0.3 < 0.95 < found["numbers"][1] and found["distance"] == "square"


def test_two_passes_over_rows_in_two_orders():
    def passes(score, model):
        x, y = X, TRUE.astype("float32")
        one, other = DRAW.permutation(90)[:64], None
        other = DRAW.permutation(one)
        truth = y[one]
        guess = model(x[other])[:, 0]
        score(np.abs(truth - guess))

    (found,) = _scores(passes)
    assert found["what"] == "apart" and found["names"][2:] == ["x", "y"]


def test_a_map_with_its_axes_exchanged_and_results_of_several_numbers():
    def exchanged(score, model):
        x, y = X[:81], TRUE[:81].reshape(9, 9)
        guess = model(x).reshape(9, 9).T
        score((guess - y) ** 2)

    def as_it_is(score, model):
        x, y = X[:81], TRUE[:81].reshape(9, 9)
        guess = model(x).reshape(9, 9)
        score((guess - y) ** 2)

    def exchanged_rows(score, model):
        patches, y = X[:81][np.arange(81).reshape(9, 9).T.ravel()], TRUE[:81].reshape(9, 9)
        rows = X[:81]
        assert len(rows) == len(patches)
        guess = model(patches).reshape(9, 9)
        score((guess - y) ** 2)

    assert [e["what"] for e in _scores(exchanged_rows)] == ["apart"]
    (found,) = _scores(exchanged)
    assert found["what"] == "apart" and found["names"][:2] == ["guess", "y"] and found["rows"] == [81, 72]
    assert _scores(as_it_is) == []
    recorder, outputs, sink = _recorder()
    x, y = X, np.column_stack([TRUE, -TRUE, TRUE**2])
    gave = (y + DRAW.normal(scale=0.05, size=y.shape)).astype("float32")
    for rows in (ORDER, np.arange(90)):
        outputs.take(x[rows], gave[rows])
        guess = gave[rows]
        recorder.reduced((guess - y) ** 2, sys._getframe())
        assert len(recorder._odd) == 1
    recorder.at_exit()
    assert [e for e in sink.events if e["kind"] == "score"] == []  # the same labels meet their own predictions, too


def test_results_of_several_numbers_of_a_part_of_the_rows():
    def mixed(score, model):
        x, y = X, np.column_stack([TRUE, -TRUE]).astype("float32")
        part = np.arange(26, 90)
        order = DRAW.permutation(part)
        guess = np.column_stack([model(x[order]), -model(x[order])])
        truth = y[part]
        score((guess - truth) ** 2)

    (found,) = _scores(mixed)
    assert found["what"] == "apart" and found["names"][2:] == ["x", "y"]


def test_an_eager_result_of_a_model_is_known_again():
    outputs = Outputs()
    outputs.take(X, X[:, :1])
    assert outputs.has(X[:, :1]) and outputs.has(X[:20, 0])
    assert not outputs.has(X[:, 1:2]) and not outputs.has(X) and not outputs.has("text")


def test_rows_that_were_put_back_and_orders_that_are_meant():
    def put_back(score, model):
        x, y = X, TRUE
        guess = np.empty(90, "float32")
        guess[ORDER] = model(x[ORDER])[:, 0]
        score((guess - y) ** 2)

    def both_sorted(score, model):
        x, y = X, TRUE.astype("float32")
        truth, guess = y[ORDER], model(x[ORDER])[:, 0]
        score((guess - truth) ** 2)

    def beside_the_right_one(score, model):
        x, y = X, TRUE
        guess = model(x)[:, 0]
        other = guess[ORDER]
        score((guess - y) ** 2)
        score((other - y) ** 2)

    def of_no_model(score, model):
        x, y = X, TRUE
        model(x[ORDER])
        guess = y[ORDER] + 0.5
        score((guess - y) ** 2)

    for function in (put_back, both_sorted, beside_the_right_one, of_no_model):
        assert _scores(function) == [], function.__name__


@pytest.mark.parametrize("empty", [0.0, np.nan])
def test_rows_that_whole_batches_do_not_fill(empty):
    def left(score, model, stop=64):
        x, y = X, TRUE
        guess = np.full(90, empty, "float32")
        for i in range(0, stop, 32):
            guess[i : i + 32] = model(x[i : i + 32])[:, 0]
        score(np.nan_to_num(np.abs(guess - y), nan=0.0))

    def filled(score, model):
        left(score, model, 90)

    def while_it_is_filled(score, model):
        x, y = X, TRUE
        guess = np.full(90, empty, "float32")
        for i in range(0, 90, 32):
            guess[i : i + 32] = model(x[i : i + 32])[:, 0]
            score(np.nan_to_num(np.abs(guess - y), nan=0.0))

    (found,) = _scores(left)
    assert (found["what"], found["rows"], found["names"]) == ("unfilled", [26, 90], ["guess"])
    assert _scores(filled) == _scores(while_it_is_filled) == []


def test_calls_that_have_so_many_rows_together():
    outputs = Outputs()
    for size in (10, 10, 5):
        outputs.take(X[:size], X[:size, :1])
    assert all(outputs.covers(n) for n in (10, 15, 20, 25)) and not outputs.covers(12)
    assert outputs.latest(15) is not None and outputs.latest(12) is None
    outputs.take(X, X)
    assert outputs.covers(90) and len(outputs.latest(90)) == 90  # of several numbers for each row, the first


def test_an_array_that_is_being_filled_says_nothing_of_its_rest():
    recorder, _, sink = _recorder()
    out = np.zeros((40, 2))
    out[:20] = DRAW.normal(size=(20, 2))
    recorder.names._note("a.py", "f", {"out": out})
    recorder.names._note("a.py", "f", {"out": out}, written=True)
    assert [e["names"]["out"].get("rest") for e in sink.events] == [None, 20]


def test_sums_are_looked_at_and_numpy_has_its_own_again(monkeypatch):
    from numpy._core import _methods, fromnumeric

    guard: Any = SimpleNamespace(sink=_Written(), part=lambda what, fn, *args: fn(*args))
    guard.run, guard.hooks = guard.part, SimpleNamespace(put=setattr)
    finder: Any = SimpleNamespace(when_imported=lambda name, then: None)
    before = _methods.umr_sum, fromnumeric._wrapreduction, _methods.asanyarray
    recorder = TableRecorder(guard, finder)
    recorder.predicted([60])
    try:
        assert _methods.umr_sum is not before[0]
        values = [np.sum((P - Y) ** 2), ((P - Y) ** 2).sum(), np.sum(OTHERS["numbers"]), OTHERS["numbers"].sum()]
        recorder._left = 1
        np.sum(np.ones(3))
        np.mean(np.ones(3))
    finally:
        after = _methods.umr_sum, fromnumeric._wrapreduction, _methods.asanyarray
        for (module, name), value in zip(
            ((_methods, "umr_sum"), (fromnumeric, "_wrapreduction"), (_methods, "asanyarray")), before, strict=True
        ):
            setattr(module, name, value)
    assert after == before
    assert np.allclose(values[:2], ((P.astype("float64") - Y) ** 2).sum(), rtol=1e-4)
    assert [(e["of"], e["pairs"], e["shape"]) for e in guard.sink.events] == [("sum", True, [60, 60])]
