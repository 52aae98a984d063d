"""How the bench of first NaNs counts: a line that is merely near, or an alarm on a healthy program, is not right."""

from __future__ import annotations

import dataclasses
import json

import pytest

from benchmarks import nan

RIGHT = nan.Row("01", True, "Log", 9, "head", True, True, True, healthy=False, seconds=1.0, title="Log of 0")
SILENT = nan.Row("90", False, None, None, None, False, False, None, healthy=True, seconds=1.0, title="")


def test_a_row_is_right_only_with_the_op_and_the_line() -> None:
    assert RIGHT.right and SILENT.right
    for wrong in ({"right_op": False}, {"right_line": False}):
        assert not dataclasses.replace(RIGHT, **wrong).right
    assert not dataclasses.replace(SILENT, noticed=True).right


def test_the_results_count_sick_and_healthy_programs_apart() -> None:
    other_line = dataclasses.replace(RIGHT, name="02", right_line=False, right_layer=None)
    alarm = dataclasses.replace(SILENT, name="91", noticed=True)
    totals = nan.as_data([RIGHT, other_line, SILENT, alarm])["totals"]
    assert totals == {"programs": 2, "op and line": 1, "layer": "1 of 1", "healthy": 2, "errors on healthy": 1}


@pytest.mark.parametrize("name", nan.names())
def test_the_truth_of_each_program_names_lines_that_are_there(name: str) -> None:
    truth = json.loads((nan.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    if truth["cause"] is None:
        return
    text = (nan.FOLDER / f"{name}.py").read_text(encoding="utf-8")
    assert all(text.count(part) == 1 for part in truth["lines_of"]) and nan.lines(name, truth)
