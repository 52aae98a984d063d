"""The line of progress: on a terminal it is written over, elsewhere nothing is."""

from __future__ import annotations

import io

from xladoctor.cli.progress import Line


def test_each_line_replaces_the_last_and_nothing_stays(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    stream = io.StringIO()
    line = Line(stream, on=True)
    line("trying batch 16\nof many, many, many others")
    line("done")
    line.end()
    first, second, last = stream.getvalue().split("\r\x1b[K")[1:]
    assert first.startswith("xladoctor: trying batch 16") and len(first) < 30
    assert second == "xladoctor: done" and last == ""


def test_foreign_text_cannot_rewrite_the_screen():
    stream = io.StringIO()
    Line(stream, on=True)("\x1b[2J\x07evil")
    assert "\x1b[2J" not in stream.getvalue() and "\x07" not in stream.getvalue()


def test_nothing_in_a_pipe():
    stream = io.StringIO()
    line = Line(stream, on=False)
    line("trying")
    line.end()
    assert stream.getvalue() == ""
