"""Rows that a call did not give back: folded by the program's own doing, or stretched over targets."""

from __future__ import annotations

from typing import Any

import pytest

from tests.xladoctor.recordings import PID, Run
from xladoctor.diagnosis.folding import folding
from xladoctor.model.diagnosis import Location
from xladoctor.model.ops import SizeOrigin
from xladoctor.recording.run import read_run
from xladoctor.sources.source import parse

HERE = Location("train.py", 3)


def judged(folder, rows: int, out: int, op: str | None, trained: list[list[int]] | None = None, batch: int = 8) -> Any:
    run = Run()
    if trained is not None:
        run.begin(1, rows=32)
        run.events[-1]["inputs"] = [{"type": "ndarray", "shape": shape} for shape in trained]
        run.end(1, "7-1-step", rows=32)
    call = {"pid": PID, "call": 2, "method": "predict", "model": "gears", "rows_in": rows, "rows_out": [out],
            "batch_size": batch}  # fmt: skip
    birth = None if op is None else SizeOrigin(op=op, inner_node=op, shape=())
    return folding(read_run(run.write(folder / "run")), call, birth, HERE if op else None)


@pytest.mark.parametrize(
    ("rows", "out", "op", "level"),
    [(64, 16, "Reshape", "note"), (64, 16, "Mean", "note"), (8, 40, "Reshape", "note"), (64, 16, None, "warning"),
     (64, 63, "Reshape", "warning"), (64, 16, "FFT", "warning")],
)  # fmt: skip
def test_bags_and_time_steps_are_the_programs_own(tmp_path, rows, out, op, level):
    assert judged(tmp_path, rows, out, op).level == level


@pytest.mark.parametrize(
    ("trained", "level"), [([[32, 4], [32, 1]], "error"), ([[32, 4], [4, 1]], "note"), (None, "note")]
)
def test_one_row_for_a_batch_that_met_a_target_for_each_row_is_an_error(tmp_path, trained, level):
    found = judged(tmp_path, 64, 8, "Sum", trained)
    assert found.level == level
    assert ("was broadcast to" in found.sentence) is (level == "error")


@pytest.mark.parametrize(
    ("after", "level"),
    [("print(p[:8, 0])", "warning"), ("print(p.reshape(8, -1).mean(1))", "note"), ("parts = np.split(p, 5)", "note")],
)
def test_more_rows_than_targets_are_meant_where_the_program_lays_them_out_again(tmp_path, monkeypatch, after, level):
    program = f"p = gears.predict(x)\n{after}\n"
    monkeypatch.setattr("xladoctor.diagnosis.folding.source_of", lambda recording, file: parse(program, file))
    run = Run()
    run.begin(1, rows=32)
    run.events[-1]["inputs"] = [{"type": "ndarray", "shape": shape} for shape in ([32, 4], [32, 1])]
    run.end(1, "7-1-step", rows=32)
    call = {"pid": PID, "call": 2, "method": "predict", "model": "gears", "rows_in": 8, "rows_out": [40],
            "batch_size": 8, "where": {"file": "train.py", "line": 1, "function": "<module>"}}  # fmt: skip
    assert (
        folding(
            read_run(run.write(tmp_path / "run")), call, SizeOrigin(op="Reshape", inner_node="Reshape", shape=()), HERE
        ).level
        == level
    )
