"""Every hazard is found where it is, and its twin without the hazard is clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.xladoctor.lint.hazards import PAIRS, Pair
from xladoctor.lint.engine import lint
from xladoctor.lint.settings import KNOWN, Settings

# A fact that any jit-compiled program shows.
FACT = "XD810"


def findings(tmp_path: Path, text: str, **settings):
    file = tmp_path / "program.py"
    file.write_text(text)
    return lint([str(file)], Settings(**settings)).diagnosis.findings


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_found(pair: Pair, tmp_path) -> None:
    found = [f for f in findings(tmp_path, pair.bad) if f.code == pair.code]
    assert found, "not found"
    first = found[0]
    assert first.details["leads_to"] == pair.leads_to
    lines = pair.bad.split("\n")
    assert pair.line in "\n".join(lines[first.location.line - 1 : first.location.line + 1])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_nothing_else_is_found(pair: Pair, tmp_path) -> None:
    expected = {pair.code, FACT, *({"XD806"} if pair.code == "XD807" else ())}
    assert {f.code for f in findings(tmp_path, pair.bad)} <= expected


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.name)
def test_the_twin_is_clean(pair: Pair, tmp_path) -> None:
    assert [f.message for f in findings(tmp_path, pair.good) if f.code != FACT or pair.code == FACT] == []


def test_every_code_has_a_pair() -> None:
    assert {pair.code for pair in PAIRS} == {code for code in KNOWN if code.startswith("XD8")} - {"XD800"}
