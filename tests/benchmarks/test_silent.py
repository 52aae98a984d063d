"""The truth about the silent programs is complete, and what the doctor says is counted as it should be."""

import json

import pytest

from benchmarks import silent


def test_each_program_has_a_healthy_twin_and_a_line():
    for name in silent.names():
        fate = json.loads((silent.FOLDER / f"{name}.json").read_text())
        lines = (silent.FOLDER / f"{name}.py").read_text().splitlines()
        assert fate["silent"] and fate["kind"] in silent.CLASSES, name
        assert all(lines[n - 1].strip() for n in (fate["line"], *fate["also"])), name
        twin = json.loads((silent.FOLDER / f"{name}_twin.json").read_text())
        assert not twin["silent"] and (silent.FOLDER / f"{name}_twin.py").is_file()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"found": True, "classed": True}, {"found": 1, "class_without_line": 0, "twins": 0}),
        ({"classed": True}, {"found": 0, "class_without_line": 1}),
        ({}, {"found": 0, "class_without_line": 0, "silent": 1}),
        ({"silent": False, "said": ("error wrong-pairing 3",)}, {"twins_with_errors": 1, "twins_with_warnings": 0}),
        (
            {"silent": False, "said": ("warning wrong-pairing None",)},
            {"twins_with_errors": 0, "twins_with_warnings": 1},
        ),
        ({"state": "timeout"}, {"not_answered": 1}),
    ],
)
def test_answers_are_counted(fields, told):
    row = silent.Row(**{"name": "n", "kind": "rows", "silent": True, "held_out": False, "state": "answered", **fields})
    found = silent.totals([row])
    assert {key: found[key] for key in told} == told
    assert "n" in silent.as_markdown([row]) and silent.as_data([row])["programs"][0]["name"] == "n"
