"""The scripts of the faults of ptycho: how small, in how many tries, and whether a fresh process shows the same.

Each is made by the command of its row, run in a new folder; then it is run once more by itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from xladoctor.experiments.repro import last_line, of_output

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Row:
    """A fault, and how a replay of it is asked for."""

    fault: str
    arguments: str


LOUD = (
    Row("reassembly-collapses-batch", "--subject ptycho:predict --batch-sizes 16"),
    Row("reassembly-collapses-batch", "--subject ptycho:train_step --batch-sizes 16"),
    Row("fft-on-bounded-batch", "--subject ptycho:predict --batch-sizes 8 --vary jit=on"),
    Row(
        "repeat-in-translate",
        "--subject ptycho:predict --batch-sizes 8 --vary jit=on --vary cfg:use_xla_translate=False",
    ),
    Row("einsum-homography", "--subject ptycho:train_step --batch-sizes 4 --vary jit=on"),
    Row("flat-positions", "--subject ptycho:predict --batch-sizes 8"),
    Row("vectorised-stitching", "--subject ptycho:stitch --batch-sizes 64"),
    Row("module-singleton", "--subject ptycho:predict --batch-sizes 4"),
)
SILENT = (
    Row("modular-pairing", "--subject ptycho:reassemble --batch-sizes 6 --parity"),
    Row("batch-centred-offsets", "--subject ptycho:reassemble --batch-sizes 5 --parity"),
    Row("reassembly-collapses-batch-muted", "--subject ptycho:reassemble --batch-sizes 16 --parity"),
    Row("einsum-homography", "--subject ptycho:predict --batch-sizes 16 --vary jit=on --parity"),
    Row(
        "negated-offsets",
        "--subject ptycho:reassemble --batch-sizes 2 --vary arg:N=16 --vary cfg:use_xla_translate=True,False --parity",
    ),
)


def markdown(rows: tuple[Row, ...] = LOUD + SILENT) -> str:
    """The table."""
    lines = [
        "| fault | `xladoctor replay ...` | lines | tries | seconds | run by itself |",
        "|---|---|---|---|---|---|",
    ]
    lines += [_line(row) for row in rows]
    return "\n".join(lines)


def _line(row: Row) -> str:
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "repro.py"
        head = f"| `{row.fault}` | `{row.arguments}`"
        command = [sys.executable, "-m", "xladoctor", "replay", *row.arguments.split(), "--repro", str(script)]
        environment = {**os.environ, "PTYCHO_FAULT": row.fault, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(
            [*command, "--format", "json"], cwd=folder, env=environment, capture_output=True, check=False
        )
        try:
            told = json.loads(done.stdout)
        except ValueError:
            told = {"notes": [done.stderr.decode("utf-8", "replace")[-300:]]}
        found = told.get("repro") or {}
        if not script.is_file():
            why = found.get("message") or "; ".join(told.get("notes", [])) or "nothing failed"
            return f"{head} | none | {found.get('tries', '')} | | {_cell(why)} |"
        again = subprocess.run([sys.executable, str(script)], cwd=folder, capture_output=True, check=False)
        lines = len(script.read_text().splitlines())
        return f"{head} | {lines} | {found['tries']} | {found['seconds']:.0f} | {_cell(_ended(again))} |"


def _ended(done: subprocess.CompletedProcess[bytes]) -> str:
    """What the script shows when it is run by itself."""
    if done.returncode == 0:
        return "it passes"
    said = last_line(done.stderr)
    if said.startswith("AssertionError: "):
        return said.removeprefix("AssertionError: ")
    found = of_output(done.stderr)
    return found.slug + (f" ({found.op})" if found.op else "")


def _cell(text: str) -> str:
    first = text.strip().splitlines()[0] if text.strip() else ""
    return f"`{first[:120].replace('|', '/').replace('`', chr(39))}`"
