"""The truth about the programs is complete, and answers are counted as they should be."""

import hashlib

import pytest

from benchmarks import verdicts


def test_half_of_the_programs_end_well_and_each_death_has_a_place():
    truths = {name: verdicts.truth(name) for name in verdicts.names()}
    assert len(truths) == 40
    assert sum(t["expect"] == "go" for t in truths.values()) == 20
    for name, fate in truths.items():
        lines = (verdicts.FOLDER / f"{name}.py").read_text().splitlines()
        if fate["expect"] == "go":
            assert fate["dies"] is None and fate["error"] is None
        else:
            assert fate["dies"] in ("fit", "validation", "evaluate", "predict")
            assert fate["error"] and lines[fate["line"] - 1].strip()


def test_the_held_out_programs_are_those_with_the_smallest_hashes():
    by_hash = sorted(verdicts.names(), key=lambda name: hashlib.sha256(f"{name}.py".encode()).hexdigest())
    assert {name for name in verdicts.names() if verdicts.truth(name).get("held_out")} == set(by_hash[:13])


@pytest.mark.parametrize(
    ("expect", "answer", "outcome"),
    [
        ("go", "go", "right"),
        ("no-go", "no-go", "right"),
        ("go", "no-go", "false no-go"),
        ("no-go", "go", "false go"),
        ("no-go", "unchecked", "not checked"),
        ("go", "error", "error"),
        ("go", "timeout", "error"),
    ],
)
def test_an_answer_is_held_against_the_truth(expect, answer, outcome):
    row = verdicts.Row("name", expect, None, True, answer, "", 1.0)
    assert row.outcome == outcome
    assert verdicts.totals([row])[outcome] == 1
    assert verdicts.as_data([row])["held_out"][outcome] == 1
    assert outcome in verdicts.as_markdown([row])
