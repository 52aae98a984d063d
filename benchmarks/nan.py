"""Where a NaN comes from: `python -m benchmarks nan`.

Each program of `benchmarks/programs/nan` ends in NaN or infinity; the JSON beside it says which op makes the first one
(`ops`: any of them), in which line of the program (`lines_of`: a part of the line that occurs once), in which layer,
and of what. Programs from 90 on are healthy: an error there is a false alarm. `scan` runs each program with its
defaults, and gets no hint.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import _results
from benchmarks.figure import Figure

FOLDER = _results.PROGRAMS / "nan"
TIMEOUT = 600.0
WANTED = 16


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
    said = next((f for f in serious if f["class"] == "not-finite"), {})
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


def figures() -> list[Figure]:
    """Programs whose first op and line are named, against those that should be; and false alarms."""
    rows = []
    for name in names():
        rows.append(row := judge(name))
        mark = "right" if row.right else "WRONG"
        print(f"{mark}  {name}  {row.op} line {row.line} {row.layer or ''} {row.seconds} s: {row.title}", flush=True)
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


if __name__ == "__main__":
    for chosen in sys.argv[1:] or names():
        print(judge(chosen), flush=True)
