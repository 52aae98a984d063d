"""Where a NaN comes from: `python -m benchmarks nan`.

Each program of `benchmarks/programs/nan` ends in NaN or infinity; the JSON beside it says which op makes the first one
(`ops`: any of them), in which line of the program (`lines_of`: a part of the line that occurs once), in which layer,
and of what. Programs from 90 on are healthy: an error there is a false alarm. `scan` runs each program with its
defaults, and gets no hint. Every program once more, with the results written: `python -m benchmarks.nan`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import _results, _spread
from benchmarks.figure import Figure

FOLDER = _results.PROGRAMS / "nan"
TIMEOUT = 600.0
WANTED = 16
SCHEMA = "xladoctor.benchmarks-nan/1"


@dataclass(frozen=True)
class Row:
    """What the doctor said of one program, and what is true of it."""

    name: str
    noticed: bool
    op: str | None
    line: int | None
    layer: str | None
    right_op: bool
    right_line: bool
    right_layer: bool | None
    healthy: bool
    seconds: float
    title: str

    @property
    def right(self) -> bool:
        """Op and line, or silence about a healthy program."""
        return not self.noticed if self.healthy else self.right_op and self.right_line


def names() -> list[str]:
    """Every program, by its file name without the ending."""
    return [path.stem for path in sorted(FOLDER.glob("[0-9]*.py"))]


def lines(name: str, truth: dict[str, Any]) -> set[int]:
    """The numbers of the lines that are right."""
    text = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()
    return {n for n, line in enumerate(text, 1) for part in truth["lines_of"] if part in line}


def judge(name: str, options: Sequence[str] = (), timeout: float = TIMEOUT) -> Row:
    """Run one program under the doctor, in a folder that holds nothing else."""
    truth = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="nan-") as folder:
        shutil.copy(FOLDER / f"{name}.py", folder)
        doctor = str(Path(sys.executable).with_name("xladoctor"))
        command = [doctor, "scan", "--format", "json", *options, "--", sys.executable, f"{name}.py"]
        done = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    try:
        findings = json.loads(done.stdout)["findings"]
    except (ValueError, KeyError):
        findings = []
    serious = [f for f in findings if f["level"] == "error"]
    said: dict[str, Any] = next((f for f in serious if f["class"] == "not-finite"), {})
    place = said.get("location") or {}
    wanted = truth.get("layer")
    layer = said.get("layer")
    return Row(
        name,
        noticed=bool(serious),
        op=said.get("op"),
        line=place.get("line"),
        layer=layer,
        right_op=said.get("op") in truth["ops"],
        right_line=place.get("line") in lines(name, truth),
        right_layer=None if wanted is None else wanted in str(layer),
        healthy=truth["cause"] is None,
        seconds=round(time.monotonic() - started, 1),
        title=str(said.get("title") or done.stderr[-200:]),
    )


def measure(programs: Sequence[str], jobs: int = 1, on: str = "local") -> list[Row]:
    """What the doctor says of each program, told as it comes."""

    def say(row: Row) -> None:
        mark = "right" if row.right else "WRONG"
        report = f"{mark}  {row.name}  {row.op} line {row.line} {row.layer or ''} {row.seconds} s: {row.title}"
        print(report, file=sys.stderr, flush=True)

    return _spread.judged("benchmarks.nan", [(name,) for name in programs], say, jobs=jobs, on=on)


def as_data(rows: Sequence[Row]) -> dict[str, Any]:
    """The rows and their sums, for the file of results."""
    sick = [row for row in rows if not row.healthy]
    named = [row.right_layer for row in sick if row.right_layer is not None]
    totals = {
        "programs": len(sick),
        "op and line": sum(row.right for row in sick),
        "layer": f"{sum(named)} of {len(named)}",
        "healthy": len(rows) - len(sick),
        "errors on healthy": sum(row.noticed for row in rows if row.healthy),
    }
    return {"totals": totals, "programs": [{**asdict(row), "right": row.right} for row in rows]}


def as_markdown(rows: Sequence[Row]) -> str:
    """The table of docs/nan.md."""
    return _results.table(
        ["program", "first op that the doctor names", "line", "right", "what it says"],
        [
            [
                row.name,
                row.op or "-",
                str(row.line or "-"),
                "yes" if row.right else "no",
                row.title if row.noticed else "-",
            ]
            for row in rows
        ],
    )


def figures() -> list[Figure]:
    """Programs whose first op and line are named, and false alarms, against what is allowed. Writes the results."""
    rows = measure(names())
    _results.write("nan.json", SCHEMA, as_data(rows))
    sick = [row for row in rows if not row.healthy]
    right = sum(row.right for row in sick)
    alarms = sum(row.noticed for row in rows if row.healthy)
    return [
        Figure(
            f"NaN: first op and line not named, of {len(sick)}",
            len(sick) - right,
            "",
            "allowed",
            len(sick) - WANTED,
            1.0,
        ),
        Figure("NaN: errors on healthy programs", alarms, "", "programs", len(rows) - len(sick), 0.0),
    ]


def main() -> int:
    """The named programs, or all of them; only all of them are written. 1 where fewer are right than are wanted."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nan", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help="its file name, or the beginning of it")
    _spread.add_options(parser)
    options = parser.parse_args()
    programs = [n for n in names() if not options.names or any(n.startswith(word) for word in options.names)]
    rows = measure(programs, options.jobs, options.on)
    print(as_markdown(rows))
    if programs == names():
        print(f"written to {_results.write('nan.json', SCHEMA, as_data(rows))}")
    healthy = [row for row in rows if row.healthy]
    wanted = min(WANTED, len(rows) - len(healthy))
    return int(sum(row.right for row in rows if not row.healthy) < wanted or not all(row.right for row in healthy))


if __name__ == "__main__":
    raise SystemExit(main())
