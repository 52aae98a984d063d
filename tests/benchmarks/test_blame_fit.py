"""The fit of blame's weights: which programs it reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import _blame_fit
from benchmarks.edits import is_authors


def test_packages_that_fail_are_read_with_their_wrong_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cases, runs = tmp_path / "cases", tmp_path / "runs"
    for name, outcome in (("01_wrong", "failed"), ("02_well", "healthy")):
        (cases / name).mkdir(parents=True)
        known = {
            "outcome": outcome,
            "lines": [{"file": "ptycho/model.py", "line": 4}],
            "also_lines": [{"file": "ptycho/loader.py", "line": 9}],
        }
        (cases / name / "case.json").write_text(json.dumps(known))
    (runs / "01_wrong" / "xladoctor-runs" / "20260101T000000Z-0000").mkdir(parents=True)
    asked = []

    def program(run: Path, name: str, wrong: frozenset[tuple[str, int]], whose: str) -> _blame_fit.Program:
        asked.append((run.name, name))
        return _blame_fit.Program(name, (), (), wrong, None, whose)

    monkeypatch.setattr(_blame_fit, "_program", program)
    [found] = _blame_fit.read_packages(cases, runs)
    assert asked == [("20260101T000000Z-0000", "01_wrong")]
    assert found.wrong == {("model.py", 4), ("loader.py", 9)}
    assert found.set == f"packages {cases}"


def test_an_edit_is_the_authors_whatever_the_spaces_and_quotes() -> None:
    known = {"fix": {"text": '    "hidden": [48, 32],'}, "also_fix": '    "hidden": [64, 24],'}
    assert is_authors("'hidden': [48,32]", known)
    assert is_authors('"hidden": [64, 24],', known)
    assert not is_authors('"hidden": [64, 32],', known)
