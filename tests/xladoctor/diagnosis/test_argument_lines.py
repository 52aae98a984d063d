"""A finding about an argument has the line of the argument, where its call is written over several lines."""

from __future__ import annotations

import ast
from types import SimpleNamespace

import pytest

from xladoctor.diagnosis import argument_lines
from xladoctor.model.diagnosis import Diagnosis, Finding, Location

PROGRAM = """\
data = timeseries_dataset_from_array(
    data=series,
    targets=series[9:],
    sequence_length=10,
)
rate = CosineDecay(0.1, 26)
net.fit(x, y,
        sample_weight=w,
        class_weight=counts)
"""


@pytest.mark.parametrize(
    ("kind", "line", "wanted"),
    [
        ("in-window", 1, 3),
        ("by-count", 7, 9),  # the first of the names that is given
        ("schedule", 6, 6),  # it is given without its name
        ("in-window", 7, 7),
        ("target", 1, 1),  # no argument is known to be at fault
    ],
)
def test_the_line_of_the_argument(monkeypatch, kind, line, wanted):
    source = SimpleNamespace(tree=ast.parse(PROGRAM))
    monkeypatch.setattr(argument_lines, "source_of", lambda recording, file: source)
    found = Finding("XD1", "wrong-pairing", "warning", "root", "t", "m", details={"kind": kind})
    found = argument_lines.replace(found, location=Location("a.py", line))
    told = argument_lines.with_argument_lines(Diagnosis("s", "failed", (found,)), None)
    assert told.findings[0].location == Location("a.py", wanted)
