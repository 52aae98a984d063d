"""Every table of docs/ptycho-studies.md, and its pictures, in one go.

`python -m benchmarks studies` runs the studies of `RUNS` one after another, each into a folder of its own below
build/studies, and writes what they found between the marks of the page. A study that has ended there is not run again.
Then `python -m benchmarks studies --pictures` puts their pictures beside the page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks._results import ROOT, table

OPTIONS = True
FOLDER = ROOT / "build" / "studies"
PAGE = ROOT / "docs" / "ptycho-studies.md"
IMAGES = ROOT / "docs" / "images"
_MARKED = re.compile(r"(?s)(?<=<!-- studies: )(\S+)( -->\n).*?(?=\n<!-- end -->)")
_WHOLE = (
    "learning", "--longer", "20,80,160,320", "--jit-compile", "off", "--nobjects", "24", "--ngroups", "32",
    "--whole-steps", "300", "--network-input", "residuals",
)  # fmt: skip
_PARTS = ("amplitude", "phase")


@dataclass(frozen=True)
class Run:
    """One study: the module of `ptycho.workflows` and its options, and its pictures by the name that the page has.

    With `shares_estimates`, runs of one go read the first estimates that others have made: their times are no figures.
    """

    name: str
    words: tuple[str, ...]
    pictures: Mapping[str, str]
    shares_estimates: bool = False

    def command(self, folder: str) -> list[str]:
        """The command, without the interpreter."""
        return ["-m", f"ptycho.workflows.{self.words[0]}", *self.words[1:], "--output-dir", folder]


_GRID = ("grid_lines_workflow", "--seeds", "0,1,2", "--untrained")
RUNS = (
    Run("grid-lines", _GRID, {"comparison.png": "grid-lines.png"}, shares_estimates=True),
    Run("grid-lines-patches", (*_GRID, "--no-object-big"), {}, shares_estimates=True),
    Run("dose-response", ("dose_response",), {"figure.png": "dose-response.png"}, shares_estimates=True),
    Run("few-photons",
        (*_WHOLE, "--photons", "1e4", "--regularisation", "1", "--solver", "5,20,80,320", "--kinds", "cell,camera",
         "--arms", "whole,whole-mixed,supervised,poisson,mae"),
        {"quality.png": "learning-quality.png", "pictures.png": "learning-pictures.png"}),
    Run("many-photons",
        (*_WHOLE, "--photons", "1e7", "--regularisation", "0.2", "--arms", "whole,supervised,poisson,mae"), {}),
    Run("bare",
        ("learning", "--photons", "1e9", "--arms", "bare", "--bare-epochs", "60", "--learning-rate", "3e-3",
         "--longer", "40", "--solver", "20", "--jit-compile", "off"), {}),
)  # fmt: skip


def markdown(folder: Path = FOLDER) -> str:
    """Run what has not ended yet, and write the page after each study. Returns what the studies took."""
    for run in RUNS:
        if not _file(folder, run).is_file():
            measure(run, folder)
        PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), tables(folder)), encoding="utf-8")
    return tables(folder)["runs"]


def main(words: Sequence[str]) -> int:
    """Put the pictures beside the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks studies", description=__doc__)
    parser.add_argument("--pictures", action="store_true", required=True, help="put the pictures beside the page")
    parser.parse_args(words)
    for run in RUNS:
        for name, image in run.pictures.items():
            shutil.copyfile(FOLDER / run.name / name, IMAGES / image)
    return 0


def _file(folder: Path, run: Run) -> Path:
    """Minutes of a run that has ended."""
    return folder / f"{run.name}.json"


def measure(run: Run, folder: Path) -> None:
    """Run a study; its output goes to FOLDER/NAME.log. A study that ends with an error raises CalledProcessError."""
    folder.mkdir(parents=True, exist_ok=True)
    cache = str(folder / "estimates") if run.shares_estimates else "off"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PTYCHO_CACHE": cache, "TF_CPP_MIN_LOG_LEVEL": "3"}
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with (folder / f"{run.name}.log").open("a", encoding="utf-8") as log:
        command = [sys.executable, *run.command(str(folder / run.name)), "--overwrite"]
        subprocess.run(command, env=environment, cwd=folder, stdout=log, stderr=log, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    minutes = {"processor": processor / 60, "clock": (time.monotonic() - started) / 60}
    _file(folder, run).write_text(json.dumps(minutes), encoding="utf-8")


def filled(page: str, found: Mapping[str, str]) -> str:
    """The page with each table that was found between its marks."""
    return _MARKED.sub(lambda m: f"{m[1]}{m[2]}\n{found[m[1]].rstrip()}\n" if m[1] in found else m[0], page)


def tables(folder: Path) -> dict[str, str]:
    """All tables of the runs that have ended, by the name of their mark."""
    done = [run for run in RUNS if _file(folder, run).is_file()]
    metrics = {run.name: json.loads((folder / run.name / "metrics.json").read_text("utf-8")) for run in done}
    found = {run.name: _tables_of(folder / run.name) for run in done if run.words[0] == "learning"}
    if "grid-lines-patches" in metrics:
        found["grid-lines"] = grid_lines({"yes": metrics["grid-lines"], "no": metrics["grid-lines-patches"]})
    if "dose-response" in metrics:
        rows = [[f"`{name}`", *_cells(each)] for name, each in metrics["dose-response"]["arms"].items()]
        found["dose-response"] = table(["arm", *_HEADS], rows)
    return {**found, "runs": runs(folder, done)}


def _tables_of(folder: Path) -> str:
    return (folder / "tables.md").read_text(encoding="utf-8")


_HEADS = ["SSIM", "MAE", "PSNR", "FRC50", "groups out of in"]


def _cells(figures: Mapping[str, Any]) -> list[str]:
    """Amplitude and phase of each figure, and the groups."""
    pairs = [
        ", ".join(f"{figures[part][key]:.{digits}f}" for part in _PARTS)
        for key, digits in (("ssim", 3), ("mae", 3), ("psnr", 1), ("frc50", 3))
    ]
    return [*pairs, f"{figures['rows_out']} of {figures['rows_in']}"]


def grid_lines(by_merging: Mapping[str, Any]) -> str:
    """The networks of both runs, seed by seed."""
    rows = [
        [{"pinn": "PINN"}.get(kind, kind), "(has none)" if kind == "baseline" else merges, seed, *_cells(each[kind])]
        for kind in ("pinn", "baseline", "untrained")
        for merges, metrics in by_merging.items()
        for seed, each in metrics["by_seed"].items()
        if kind != "baseline" or merges == "yes"
    ]
    return table(["network", "`object_big`", "seed", *_HEADS], rows)


def runs(folder: Path, done: Sequence[Run]) -> str:
    """The commands of the runs, and what each took."""
    commands = [" ".join(["python", *run.command("OUT")]) for run in done]
    rows = []
    for run in done:
        minutes = json.loads(_file(folder, run).read_text("utf-8"))
        rows.append([run.name, *(f"{minutes[clock]:.1f}" for clock in ("processor", "clock"))])
    text = "\n".join(["```sh", *commands, "```"])
    return f"{text}\n\n{table(['run', 'minutes of processor time', 'minutes by the clock'], rows)}"
