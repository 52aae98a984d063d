"""A mean over all pairs is told at the line that made them, and not where the source says that they are meant."""

from __future__ import annotations

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import tables
from xladoctor.recording.run import read_run
from xladoctor.sources.source import parse

PROGRAM = """import numpy as np


def rmse(pred, truth):
    res = pred - truth
    return np.sqrt(np.mean(res**2))


def spread(pred):
    return np.mean(pred[:, None] - pred)
"""


def test_the_line_that_made_the_pairs(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "source_of", lambda recording, file: parse(PROGRAM, file))
    run = Run()
    for line, function in ((6, "rmse"), (6, "rmse"), (10, "spread")):
        where = {"file": "main.py", "line": line, "function": function}
        run.event("table", shape=[48, 48], dtype="float32", where=where, frames=[where])
    found = list(tables.tables(read_run(run.write(tmp_path / "run"))))
    assert [(f.level, f.slug, f.location.line) for f in found] == [("warning", "wrong-pairing", 5)]
    assert "`pred - truth`" in found[0].message and "(48, 48)" in found[0].title


def test_nothing_without_the_source(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "source_of", lambda recording, file: None)
    run = Run()
    run.event("table", shape=[4, 4], dtype="bool", where={"file": "gone.py", "line": 3, "function": "f"}, frames=[])
    assert list(tables.tables(read_run(run.write(tmp_path / "run")))) == []
