"""`[tool.xladoctor.places]`: where it is looked for, what is handed on, and the words for what is wrong with it."""

from __future__ import annotations

import json

import pytest

from xladoctor.diagnosis.contracts import faults
from xladoctor.experiments.places import find, write

HEAD = "[tool.xladoctor.places]\n"


def found(folder, text):
    (folder / "pyproject.toml").write_text(text)
    return find(folder)


def test_both_forms(tmp_path):
    places = found(
        tmp_path,
        HEAD + '"a.b:f" = "x (B N) -> (B)"\n'
        '"a.b:C.call" = {contract = "x (B) -> (P)", axes = {P = "a.params:cfg[padded]"}}\n',
    )  # fmt: skip
    assert places.problems == ()
    assert places.places == (
        {"name": "a.b:f", "contract": "x (B N) -> (B)", "axes": {}},
        {"name": "a.b:C.call", "contract": "x (B) -> (P)", "axes": {"P": "a.params:cfg[padded]"}},
    )


def test_the_nearest_file_with_a_section_of_ours(tmp_path):
    inner = tmp_path / "study" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text(HEAD + '"a:f" = "x (B) -> (B)"')
    (tmp_path / "study" / "pyproject.toml").write_text("[tool.ruff]\nline-length = 100\n# xladoctor is not here\n")
    places = find(inner)
    assert (places.file, [p["name"] for p in places.places]) == (tmp_path / "pyproject.toml", ["a:f"])


def test_no_file_or_no_section(tmp_path):
    assert not find(tmp_path).places
    assert found(tmp_path, "[tool.xladoctor]\nother = 1\n").problems == ()


@pytest.mark.parametrize(
    ("line", "says", "kept"),
    [
        ('"a:f" = "x (B N -> (B)"', "the contract is wrong, not the data: contract 'x (B N -> (B)': cannot read", 1),
        ('"a:f" = "x (B) -> (B*Q)"', "Q in 'B*Q' is bound by nothing: no tensor has it as an axis", 1),
        ('"a:f" = {contract = "x (B) -> (B)", axes = {P = "a:p()"}}', "has no axis P, which is given a value", 1),
        (
            '"a:f" = {contract = "x (B) -> (P)", axes = {P = "p + 1"}}',
            "axis P is given by 'p + 1', which is none of",
            1,
        ),
        ('"a:f" = {contract = "x (B) -> (P)", axes = "P"}', "its axes are no table", 1),
        ('"a:f" = {contract = "x (B) -> (B)", size = 3}', "'size' is not known", 1),
        ('"a:f" = 3', "it has no contract", 0),
        ('"a.f" = "x (B) -> (B)"', "a place is named 'package.module:function'", 0),
    ],
)
def test_what_is_wrong_is_said_and_never_fatal(tmp_path, line, says, kept):
    places = found(tmp_path, HEAD + line)
    assert any(says in problem for problem in places.problems)
    assert all(str(tmp_path / "pyproject.toml") in problem for problem in places.problems)
    assert len(places.places) == kept


@pytest.mark.parametrize("text", [HEAD + '"a:f" = = 1', "[tool.xladoctor\n", HEAD + '"a:f" = "x" \n' * 2])
def test_a_file_that_is_no_toml(tmp_path, text):
    assert "cannot be read, so its places are not watched" in found(tmp_path, text).problems[0]


def test_places_that_are_no_table(tmp_path):
    assert "is no table of places" in found(tmp_path, "[tool.xladoctor]\nplaces = 3\n").problems[0]


def test_the_file_for_the_probes(tmp_path):
    write(find(tmp_path), tmp_path)
    assert not (tmp_path / "places.json").exists()
    write(found(tmp_path, HEAD + '"a:f" = "x (B) -> (B)"'), tmp_path)
    data = json.loads((tmp_path / "places.json").read_text())
    assert data["schema"] == "xladoctor.places/1"
    assert data["places"] == [{"name": "a:f", "contract": "x (B) -> (B)", "axes": {}}]


@pytest.mark.parametrize(
    ("contract", "given", "wrong"),
    [
        ("x (B 1 2 C) -> (B*C 2)", (), 0),
        ("x (B*C 2), y (B*C) -> (C)", (), 0),
        ("x (B*C 2), y (B*C) -> ()", (), 2),
        ("x (N) -> (N+P)", ("P",), 0),
        ("x (... N) -> (...)", (), 0),
        ("x (N+M) -> (N+M)", (), 2),
        ("x (N) -> (N+M)", (), 1),
    ],
)
def test_faults_of_a_contract(contract, given, wrong):
    assert len(faults(contract, given)) == wrong
