"""The sample that CI judges: what was known to be untrue is told from what is new, and twins are asked about."""

from __future__ import annotations

import json

from benchmarks import _results, sample, silent


def bench(name):
    return next(b for b in sample.BENCHES if b.name == name)


def test_what_is_known_is_what_a_committed_row_says(tmp_path, monkeypatch):
    rows = [
        {"name": "right", "crash": ["a", None, 1], "wrong": [["a", None, 1]], "exact": True},
        {"name": "missed", "crash": ["a", None, 2], "wrong": [["a", None, 1]], "exact": False},
        {"name": "false blame", "crash": ["a", None, 1], "wrong": [["a", None, 1]], "exact": False},
    ]
    (tmp_path / "blame-programs.json").write_text(json.dumps({"programs": rows}))
    monkeypatch.setattr(_results, "RESULTS", tmp_path)
    assert sample.known(bench("blame")) == {"false blame"}
    assert sample.known(bench("truth")) == frozenset(), "no results, nothing is known"


def test_only_twins_are_asked_and_none_that_is_set_aside():
    assert all(name.endswith(silent.TWIN) for name in bench("silent").names())
    assert not any("held_out" in name for b in sample.BENCHES for name in b.names())


def test_the_first_that_takes_too_long_ends_it():
    order = _results.by_hash("abc")
    assert list(_results.within_a_minute("abc", lambda name, left: None if name == order[1] else name)) == order[:1]
