"""A mean over all pairs is told at the line that made them, and not where the source says that they are meant."""

from __future__ import annotations

from tests.xladoctor.recordings import Run
from xladoctor.diagnosis import tables
from xladoctor.recording.run import read_run
from xladoctor.sources.backward import Backward
from xladoctor.sources.held import Held, View
from xladoctor.sources.pairs import squared
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


SUMS = """import numpy as np


def r2(truth, guess):
    left = ((truth - guess) ** 2).sum()
    return 1 - left / ((truth - truth.mean()) ** 2).sum()


def outer(truth, guess):
    return np.sum(truth[:, None] - guess)
"""


def test_a_sum_of_pairs_that_the_numbers_show(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "source_of", lambda recording, file: parse(SUMS, file))
    run = Run()
    for line, function in ((5, "r2"), (10, "outer")):
        where = {"file": "main.py", "line": line, "function": function}
        run.event("table", shape=[48, 48], dtype="float32", where=where, frames=[where], pairs=True, of="sum")
    (found,) = tables.tables(read_run(run.write(tmp_path / "run")))
    assert (found.slug, found.location.line, found.status) == ("wrong-pairing", 5, "confirmed")
    assert "a sum is taken" in found.title and "`truth - guess`" in found.message


APART = """import numpy as np


def relative(error, scale):
    return error / scale


def report(model, x, y, spread):
    error = model(x) - y.reshape(-1, 1)
    chi = relative(error, spread)
    return np.mean(chi**2)
"""


def test_the_one_line_whose_operands_held_such_shapes(tmp_path, monkeypatch):
    tree = parse(APART, "main.py").tree
    monkeypatch.setattr(tables, "source_of", lambda recording, file: parse(APART, file))
    held = {("report", n): Held("array", s) for n, s in (("error", (48, 1)), ("spread", (48,)), ("y", (48,)))}
    for known, lines in ((held, [5]), ({}, [])):
        view = View("main.py", tree, Backward({"main.py": tree}), known, {})
        monkeypatch.setattr(tables, "views_of", lambda recording, view=view: {"main.py": view})
        run = Run()
        where = {"file": "main.py", "line": 11, "function": "report"}
        run.event("table", shape=[48, 48], dtype="float32", where=where, frames=[where], pairs=True, of="mean")
        found = list(tables.tables(read_run(run.write(tmp_path / str(len(known))))))
        assert [f.location.line for f in found] == lines


def test_nothing_without_the_source(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "source_of", lambda recording, file: None)
    run = Run()
    run.event("table", shape=[4, 4], dtype="bool", where={"file": "gone.py", "line": 3, "function": "f"}, frames=[])
    assert list(tables.tables(read_run(run.write(tmp_path / "run")))) == []


SQUARES = """import numpy as np


def level(pcm):
    frames = pcm.reshape(-1, 64)
    power = frames ** 2
    return np.mean(power, axis=1)


def offset(pcm, other):
    return pcm.mean(), np.mean(pcm * other), np.mean(pcm ** 3), (pcm * pcm).mean()
"""


def test_a_square_below_zero_is_one_that_its_type_could_not_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "source_of", lambda recording, file: parse(SQUARES, file))
    run = Run()
    where = {"file": "main.py", "line": 7, "function": "level"}
    run.event("below-zero", shape=[9, 64], dtype="int16", least=-32764, where=where)
    [found] = list(tables.tables(read_run(run.write(tmp_path / "run"))))
    assert (found.level, found.slug, found.location.line, found.status) == ("warning", "integer-wrap", 6, "confirmed")
    assert "comes to -32764" in found.title and "`frames ** 2`" in found.title


def test_numbers_below_zero_that_are_no_square_are_fine():
    lines = [f"def f(a, b):\n    return {e}" for e in ("a.mean()", "np.mean(a * b)", "np.mean(a ** 3)", "np.std(a)")]
    assert [squared(parse(text, "main.py").tree, 2) for text in lines] == [None] * 4
    again = [f"def f(a, b):\n    return {e}" for e in ("(a * a).mean()", "np.mean(np.abs(a))", "np.average(a ** 4)")]
    assert all(squared(parse(text, "main.py").tree, 2) for text in again)
    beside = "def f(a):\n    return np.mean(a.astype(float) ** 2), a.mean(), np.abs(a - a.mean()).mean()"
    assert squared(parse(beside, "main.py").tree, 2) is None
