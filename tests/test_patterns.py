"""No regular expression costs more than its text is long: a log, a report or a source must not stop us."""

from __future__ import annotations

import warnings

import pytest

from tests import patterns
from tests.patterns import Pattern, exponent, pumps, steepest


@pytest.mark.slow
def test_cost_of_every_pattern_grows_linearly():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        steep = {
            str(p): (round(grown, 2), piece)
            for p in patterns.patterns()
            for grown, piece in [steepest(p)]
            if grown > 1.5
        }
    assert steep == {}


@pytest.mark.parametrize(
    ("source", "scans"),
    [
        (r"(?P<url>\b[a-zA-Z][\w+.-]*://)[^\s/@:]+:[^\s/@]+@", True),  # what once ran in the target
        (r"\s+$", True),
        (r"<[^>]*>", True),
        (rb"(?:x[^y]*)*z", True),
    ],
)
def test_that_a_slow_pattern_is_found(source, scans):
    assert steepest(Pattern("x.py", 1, source, 0, scans))[0] > patterns.STEEPEST


@pytest.mark.parametrize("source", [r"\d{1,9}x", r"(?<!\w)\w+=", r"a[bc]d", r"^x.*$"])
def test_that_a_linear_pattern_is_let_pass(source):
    assert steepest(Pattern("x.py", 1, source))[0] <= patterns.STEEPEST


def test_growth_is_measured():
    def quadratic(text: str) -> int:
        return sum(1 for _ in text for _ in text[: len(text) // 4])

    assert exponent(quadratic, lambda size: "a" * size) > 1.7
    assert exponent(lambda text: [sum(map(ord, text)) for _ in range(50)], lambda size: "a" * size) < patterns.STEEPEST
    assert exponent(len, lambda size: "a" * size) == 0


def test_patterns_are_read_from_the_code():
    found = patterns.patterns()
    files = {p.file for p in found}
    assert len(found) > 300 and len(files) > 40
    for file in ("probes/redaction/texts.py", "xladoctor/report/redact/patterns.py", "xladoctor/rules/matching.py"):
        assert file in files
    assert any("/recognise/" in file for file in files) and any(isinstance(p.source, bytes) for p in found)
    assert "/*" in "".join(pumps(r"/\*.*?\*/"))
