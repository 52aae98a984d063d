"""Scores of the labels of other rows, and of rows that were never predicted: where they are told, and where not."""

from __future__ import annotations

import pytest

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import scores
from xladoctor.diagnosis.row_source import _gave
from xladoctor.recording.run import read_run
from xladoctor.sources.files import Files

PROGRAM = """import numpy as np


def evaluate(model, x, y, order):
    guess = np.zeros(len(x))
    for part in np.array_split(order, 4):
        guess[part] = model(x[part])
    return np.mean((guess - y) ** 2)


def chance(guess, y):
    return np.mean((guess - y) ** 2)


def in_one(model, x, y):
    guess = model(x)[:, 0]
    return np.mean((guess - y) ** 2)
"""


def _found(tmp_path, monkeypatch, what, line, function, made, known=(), names=("guess", "y", "x", "y")):
    files = Files(lambda name: PROGRAM if name == "main.py" else None)
    monkeypatch.setattr(scores, "files_of", lambda recording: files)
    monkeypatch.setattr(scores, "source_of", lambda recording, file: files.source(file))
    run = Run()
    run.event(
        "score", what=what, rows=[7, 90], names=list(names), numbers=[0.01, 0.9], distance="square",
        where={"file": "main.py", "line": line, "function": function},
        made=None if made is None else {"file": "main.py", "line": made, "function": function},
    )  # fmt: skip
    return list(scores.scores(read_run(run.write(tmp_path / "run")), known))


@pytest.mark.parametrize(
    ("what", "made", "line", "slug"),
    [
        ("apart", 7, 7, "wrong-pairing"),
        ("unfilled", 7, 6, "wrong-shape-silent"),
        ("apart", None, 8, "wrong-pairing"),
    ],
)
def test_the_line_that_puts_the_predictions_into_their_rows(tmp_path, monkeypatch, what, made, line, slug):
    (found,) = _found(tmp_path, monkeypatch, what, 8, "evaluate", made)
    assert (found.slug, found.location.line, found.level, found.status) == (slug, line, "warning", "confirmed")
    assert "main.py:8" in found.message


def test_the_line_of_the_score_where_no_array_is_filled(tmp_path, monkeypatch):
    (found,) = _found(tmp_path, monkeypatch, "apart", 17, "in_one", 16)
    assert found.location.line == 17 and "0.01" in found.message and "0.90" in found.message


def test_nothing_of_a_chance_and_of_lines_that_are_known(tmp_path, monkeypatch):
    assert _found(tmp_path / "a", monkeypatch, "apart", 12, "chance", None) == []
    assert _found(tmp_path / "b", monkeypatch, "apart", 17, "in_one", 16, names=("shuffled", "y", "x", "y")) == []
    known = _found(tmp_path / "c", monkeypatch, "apart", 8, "evaluate", 7)
    assert _found(tmp_path / "d", monkeypatch, "apart", 8, "evaluate", 7, known) == []


def test_a_line_that_calls_a_model_counts_as_a_prediction(tmp_path):
    run = Run()
    run.event("direct", model="net", calls=3, shape=[4, 1], where={"file": "main.py", "line": 7, "function": "f"})
    run.event("direct", model="net", calls=1, shape=[4, 1], where={"file": "main.py", "line": 9, "function": "f"})
    assert _gave(read_run(run.write(tmp_path / "run"))) == {"main.py": {9: [(4, 1)]}}
