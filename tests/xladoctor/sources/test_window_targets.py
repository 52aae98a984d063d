"""Where a target is taken from within its window, once the numbers have shown that it is."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from xladoctor.sources.window_targets import line_within

LOOP = """
def cut(level, span):
    rows, wanted = [], []
    for at in range(len(level) - span):
        stop = at + span
        rows.append(level[at:stop])
        wanted.append(level[{}])
    return rows, wanted
"""
TWO = """
rows = [flow[i:i + DAYS, :] for i in range(n)]
goal = [flow[{}, 0] for i in range(n)]
"""


@pytest.mark.parametrize(
    ("text", "index", "line"),
    [
        (LOOP, "stop - 1", 7),
        (LOOP, "at + span - 2", 7),
        (LOOP, "at", 7),
        (LOOP, "stop", None),
        (LOOP, "stop + 1", None),
        (LOOP, "at - 1", None),
        (LOOP, "other", None),
        (TWO, "i + DAYS - 1", 3),
        (TWO, "i + DAYS", None),
        (TWO, "i * DAYS", None),
    ],
)
def test_the_line_that_takes_it(text, index, line):
    found = line_within({"a.py": ast.parse(text.format(index))})
    assert found == (None if line is None else ("a.py", line))


def test_of_several_none_is_named():
    text = dedent(LOOP.format("stop - 1")) + LOOP.format("stop - 1").replace("cut", "cut_again")
    assert line_within({"a.py": ast.parse(text)}) is None
