"""The go that measures the page of the studies again: its commands, its tables, and the marks of the page."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from benchmarks import studies
from ptycho.workflows import learning_table

PART = {"ssim": 0.9, "mae": 0.01, "psnr": 25.0, "frc50": 0.25}
FIGURES = {"amplitude": PART, "phase": {**PART, "ssim": 0.8}, "rows_in": 9, "rows_out": 8}
CELLS = "0.900, 0.800 | 0.010, 0.010 | 25.0, 25.0 | 0.250, 0.250 | 8 of 9 |"


@pytest.mark.parametrize("run", studies.RUNS, ids=lambda run: run.name)
def test_the_command_lines_are_those_of_the_studies(run):
    flag, module, *words = run.command("OUT")
    assert flag == "-m"
    assert importlib.import_module(module).build_parser().parse_args(words).output_dir.name == "OUT"


def test_the_page_has_a_mark_for_each_table_and_a_picture_for_each_that_is_copied():
    page = studies.PAGE.read_text(encoding="utf-8")
    names = {run.name for run in studies.RUNS} - {"grid-lines-patches"} | {"runs"}
    assert sorted(re.findall(r"<!-- studies: (\S+) -->", page)) == sorted(names)
    assert page.count("<!-- end -->") == len(names)
    assert all(f"images/{image}" in page for run in studies.RUNS for image in run.pictures.values())


def test_what_ended_is_written_and_not_run_again(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "a\n<!-- studies: grid-lines -->\nold\n<!-- end -->\nb\n<!-- studies: bare -->\nold\n<!-- end -->\n"
    )
    monkeypatch.setattr(studies, "PAGE", page)
    by_seed = {"0": dict.fromkeys(("pinn", "baseline", "untrained"), FIGURES)}
    for name, metrics in {"grid-lines": by_seed, "grid-lines-patches": by_seed}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "metrics.json").write_text(json.dumps({"by_seed": metrics}))
        (tmp_path / f"{name}.json").write_text(json.dumps({"processor": 1.5, "clock": 2.0}))
    begun = []

    def stops(run, folder):
        begun.append(run.name)
        raise RuntimeError("it was broken off")

    monkeypatch.setattr(studies, "measure", stops)
    with pytest.raises(RuntimeError, match="broken off"):
        studies.markdown(tmp_path)
    assert begun == ["dose-response"]
    rows = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert [row.partition(" | 0.9")[0] for row in rows[2:]] == [
        "| PINN | yes | 0",
        "| PINN | no | 0",
        "| baseline | (has none) | 0",
        "| untrained | yes | 0",
        "| untrained | no | 0",
    ]
    assert all(row.endswith(CELLS) for row in rows[2:])
    assert page.read_text().endswith("<!-- studies: bare -->\nold\n<!-- end -->\n")
    assert "| grid-lines-patches | 1.5 | 2.0 |" in studies.tables(tmp_path)["runs"]


def test_differences_of_pairs_that_leave_the_first_arm_out():
    mean = {"amplitude": PART, "phase": PART}
    arm = {"losses": {}, "processor_seconds": {"train": 1.0, "reconstruct": 2.0}, "mean": mean, "kinds": {}}
    gain = {part: {"mean": 0.02, "sd": 0.001, "smallest": 0.01} for part in ("amplitude", "phase")}
    pairs = {"mae over estimate-4": gain, "poisson over mae": gain}
    text = learning_table.write(dict.fromkeys(("estimate-4", "mae", "poisson"), arm), pairs)
    assert text.endswith("| poisson over mae | 0.020 ± 0.001 (0.010) | 0.020 ± 0.001 (0.010) |\n")
    assert "| mae over estimate-4 |" not in text
