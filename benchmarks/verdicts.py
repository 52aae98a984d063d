"""What `xladoctor preflight` says of programs whose fate is known: `python -m benchmarks verdicts`.

Each program of `benchmarks/programs/preflight` was run; the JSON beside it says whether it ends well ("go") or where
it dies ("no-go"). An answer that is neither "go" nor "no-go" counts as not checked. "held_out" marks the 13 programs
whose file names have the smallest SHA-256; nobody mends a check with one of them.
`python -m benchmarks.verdicts --sample` takes programs in the order of their hash while they fit in a minute.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import _results
from benchmarks._observe import end
from benchmarks._programs import Programs

FOLDER = _results.PROGRAMS / "preflight"
TIMEOUT = 900.0
SCHEMA = "xladoctor.benchmarks-verdicts/1"


@dataclass(frozen=True)
class Row:
    """A program, what is true of it, and what the doctor said.

    `answer` is the verdict as it stands in the JSON; "error" where there was no JSON, "timeout" where there was no end.
    """

    name: str
    expect: str
    dies: str | None
    held_out: bool
    answer: str
    why: str
    seconds: float

    @property
    def outcome(self) -> str:
        """right, false go, false no-go, not checked, or error."""
        if self.answer in ("error", "timeout"):
            return "error"
        if self.answer not in ("go", "no-go"):
            return "not checked"
        return "right" if self.answer == self.expect else f"false {self.answer}"


def names() -> list[str]:
    """Every program, by its file name without the ending."""
    return [path.stem for path in sorted(FOLDER.glob("[0-9]*.py"))]


def truth(name: str) -> dict[str, Any]:
    """What became of the program when it was run."""
    fate: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return fate


def judge(name: str, timeout: float = TIMEOUT) -> Row:
    """Ask the doctor about one program, in a folder that holds nothing else."""
    fate = truth(name)
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="verdict-") as folder:
        shutil.copy(FOLDER / f"{name}.py", folder)
        answer, why = _ask(f"{name}.py", Path(folder), timeout)
    seconds = round(time.monotonic() - started, 1)
    return Row(name, fate["expect"], fate["dies"], fate.get("held_out", False), answer, why, seconds)


def _ask(program: str, folder: Path, timeout: float) -> tuple[str, str]:
    doctor = str(Path(sys.executable).with_name("xladoctor"))
    mark = uuid.uuid4().hex
    words = [doctor, "preflight", "--no-cache", "--format", "json", "--"]
    process = subprocess.Popen(
        [*words, sys.executable, program],
        cwd=folder,
        env={**os.environ, "CHAOS_MARK": mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end(mark, process)
        return "timeout", f"no answer in {timeout:.0f} s"
    try:
        answer = json.loads(out)
        return str(answer["verdict"]), _reason(answer)
    except (ValueError, KeyError, TypeError):
        return "error", f"exit {process.returncode}: {err[-300:]}"


def _reason(answer: dict[str, Any]) -> str:
    checks = answer.get("checks", [])
    telling = [c for c in checks if c.get("state") == "fail"] or [c for c in checks if c.get("state") == "warn"]
    states = "; ".join(f"{c.get('name')}: {c.get('message')}" for c in telling[:2])
    return states.replace(f"{_results.ROOT}/", "") or ", ".join(f"{c.get('name')} {c.get('state')}" for c in checks)


def totals(rows: Sequence[Row]) -> dict[str, int]:
    """How many of each outcome."""
    kinds = ("right", "false go", "false no-go", "not checked", "error")
    return {kind: sum(row.outcome == kind for row in rows) for kind in kinds}


def as_markdown(rows: Sequence[Row]) -> str:
    """The table, and the figures below it: of all programs, and of those that are held out."""
    heads = ["program", "truth", "answer", "outcome", "why", "s"]
    cells = [
        [
            f"{row.name}{' (held out)' if row.held_out else ''}",
            row.expect if row.dies is None else f"{row.expect} ({row.dies})",
            row.answer,
            row.outcome if row.outcome == "right" else f"**{row.outcome}**",
            row.why[:160],
            f"{row.seconds:.0f}",
        ]
        for row in rows
    ]
    lines = [_results.table(heads, cells), ""]
    for title, part in (("all", rows), ("held out", [row for row in rows if row.held_out])):
        counts = totals(part)
        share = 100 * counts["not checked"] / max(1, len(part))
        figures = ", ".join(f"{kind} {count}" for kind, count in counts.items())
        lines.append(f"{title}: {len(part)} programs: {figures}; not checked {share:.0f} % (at most 20)")
    return "\n".join(lines)


def as_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What is written into the file of results."""
    held = [row for row in rows if row.held_out]
    counts = {"totals": totals(rows), "held_out": totals(held)}
    return {**counts, "programs": [{**asdict(row), "outcome": row.outcome} for row in rows]}


BENCH = Programs(
    module="benchmarks.verdicts",
    about=__doc__,
    file="preflight-programs.json",
    schema=SCHEMA,
    names=names,
    is_held_out=lambda name: bool(truth(name).get("held_out")),
    judge=judge,
    says=lambda row: f"{row.answer} ({row.outcome}, {row.seconds:.0f} s)",
    is_false=lambda row: row.outcome.startswith("false") or row.outcome == "error",
    as_data=as_data,
    as_markdown=as_markdown,
)
markdown = BENCH.markdown


if __name__ == "__main__":
    raise SystemExit(BENCH.main())
