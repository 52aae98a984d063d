"""No regular expression costs more than its text is long: a log, a report or a source must not stop us."""

from __future__ import annotations

import math
import warnings

import pytest

from tests import patterns
from tests.patterns import Pattern, pumps, steepest

PARTS = 6


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_cost_of_every_pattern_grows_linearly(part):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        measured = {str(p): steepest(p) for p in patterns.patterns()[part::PARTS]}
    assert {where: found for where, found in measured.items() if found[0] > patterns.STEEPEST} == {}


@pytest.mark.parametrize(
    ("source", "grows"),
    [
        (r"(?P<url>\b[a-zA-Z][\w+.-]*://)[^\s/@:]+:[^\s/@]+@", 1.7),  # what once ran in the target
        (rb"x(?:y+)+z", math.inf),
    ],
    ids=["quadratic", "exponential"],
)
def test_that_a_slow_pattern_is_found(source, grows, monkeypatch):
    monkeypatch.setattr(patterns, "LONGEST", 0.3)
    assert steepest(Pattern("x.py", 1, source))[0] >= grows


@pytest.mark.parametrize("source", [r"\d{1,9}x", r"(?<!\w)\w+=", r"a[bc]d", r"^x.*$"])
def test_that_a_linear_pattern_is_let_pass(source):
    assert steepest(Pattern("x.py", 1, source))[0] <= patterns.STEEPEST


def test_patterns_are_read_from_the_code():
    found = patterns.patterns()
    files = {p.file for p in found}
    assert len(found) > 300 and len(files) > 40
    for file in ("probes/redaction/texts.py", "xladoctor/report/redact/patterns.py", "xladoctor/rules/matching.py"):
        assert file in files
    assert any("/recognise/" in file for file in files) and any(isinstance(p.source, bytes) for p in found)
    assert "/*" in "".join(head + piece for head, piece in pumps(r"/\*.*?\*/"))
