"""What a plain `scan` says of programs that end well and compute something wrong: `python -m benchmarks silent`.

Each program of `benchmarks/programs/silent` has a healthy twin that looks like it; the JSON beside it says what is
wrong and at which lines. Found is a finding at error or warning level, of a class that fits, at one of these lines.
Of a twin every error and every warning counts against the doctor. `--held-out` asks about the programs that were set
aside (and, without it, nobody does); `--sample` takes pairs in the order of their hash while they fit in a minute.
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
import uuid
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import _results, _spread
from benchmarks._observe import end

FOLDER = _results.PROGRAMS / "silent"
TIMEOUT = 600.0
SCHEMA = "xladoctor.benchmarks-silent/1"
OPTIONS = True
TWIN = "_twin"
_ROWS = ("wrong-pairing", "wrong-shape-silent", "contract-violation")
_NUMBERS = ("parity-divergence", "wrong-shape-silent")
_SETTINGS = ("dead-switch", "setting-too-late", "baked-in-setting", "flag-ineffective")
CLASSES: dict[str, tuple[str, ...]] = {
    "rows": _ROWS,
    "broadcast": _ROWS,
    "pairing": _ROWS,
    "xla-differs": _NUMBERS,
    "random-in-compiled": (*_NUMBERS, "random-in-compiled", "baked-in-setting", "value-baked-in"),
    "gradient": _NUMBERS,
    "switch": (*_SETTINGS, *_NUMBERS, "wrong-pairing", "loss-input-mismatch"),
    "data": (
        "unsound-split",
        "sorted-batches",
        "wrong-pairing",
        "wrong-shape-silent",
        "loss-input-mismatch",
        "unlike-training",
        "integer-wrap",
        "random-in-compiled",
        "index-out-of-range",
    ),
}
"""The classes of finding that name a kind of fault."""


@dataclass(frozen=True)
class Row:
    """A program, what is true of it, and what the doctor said.

    `found`: with class and line; `classed`: with the class, at another line. `said` are all its errors and warnings as
    "level class line"; `state` is "answered", "error" or "timeout".
    """

    name: str
    kind: str
    silent: bool
    held_out: bool
    state: str
    found: bool = False
    classed: bool = False
    verdict: str = ""
    said: tuple[str, ...] = ()
    checked: int = 0
    seconds: float = 0.0
    lines: tuple[int, ...] = field(default=())

    @property
    def errors(self) -> int:
        """How many findings at error level there are."""
        return sum(text.startswith("error ") for text in self.said)

    @property
    def warnings(self) -> int:
        """The same at warning level."""
        return sum(text.startswith("warning ") for text in self.said)


def names(held_out: bool = False) -> list[str]:
    """Every program but the twins, by its file name without the ending."""
    folder = FOLDER / "held_out" if held_out else FOLDER
    return [path.stem for path in sorted(folder.glob("[0-9]*.py")) if not path.stem.endswith(TWIN)]


def judge(name: str, held_out: bool = False, timeout: float = TIMEOUT) -> Row:
    """Ask the doctor about one program, in a folder that holds nothing else."""
    folder = FOLDER / "held_out" if held_out else FOLDER
    fate = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    lines = tuple(n for n in (fate["line"], *fate.get("also", ())) if n)
    common: dict[str, Any] = {
        "name": name,
        "kind": str(fate["kind"]),
        "silent": bool(fate["silent"]),
        "held_out": held_out,
    }
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="silent-") as place:
        shutil.copy(folder / f"{name}.py", place)
        # Of a switch a plain scan sees one position: whoever asks about it asks for the other one.
        options = ("--flip", "all") if _kind(name.removesuffix(TWIN), held_out) == "switch" else ()
        state, answer = _ask(f"{name}.py", Path(place), timeout, options)
    seconds = round(time.monotonic() - started, 1)
    findings = [f for f in answer.get("findings", ()) if f["level"] in ("error", "warning")]
    fitting = [f for f in findings if f["class"] in CLASSES.get(str(fate["kind"]), ())]
    at_line = [f for f in fitting if _place(f, f"{name}.py") in lines]
    return Row(
        **common,
        state=state,
        found=bool(at_line),
        classed=bool(fitting),
        verdict=str(answer.get("verdict", "")),
        said=tuple(f"{f['level']} {f['class']} {_place(f, f'{name}.py')}" for f in findings),
        checked=sum(c.get("result") != "not-checked" for c in answer.get("checked", ())),
        seconds=seconds,
        lines=lines,
    )


def _place(finding: dict[str, Any], file: str) -> int | None:
    where = finding.get("location") or {}
    return where.get("line") if str(where.get("file", "")).endswith(file) else None


def _ask(program: str, folder: Path, timeout: float, options: Sequence[str] = ()) -> tuple[str, dict[str, Any]]:
    doctor = str(Path(sys.executable).with_name("xladoctor"))
    mark = uuid.uuid4().hex
    process = subprocess.Popen(
        [doctor, "scan", *options, "--format", "json", "--", sys.executable, program],
        cwd=folder,
        env={**os.environ, "CHAOS_MARK": mark},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        end(mark, process)
        return "timeout", {}
    try:
        answer: dict[str, Any] = json.loads(out)
    except ValueError:
        return "error", {}
    return "answered", answer


def totals(rows: Sequence[Row]) -> dict[str, Any]:
    """How many are found, by kind, and what is said of the healthy ones."""
    silent, twins = [r for r in rows if r.silent], [r for r in rows if not r.silent]
    kinds = sorted({r.kind for r in silent})
    return {
        "silent": len(silent),
        "found": sum(r.found for r in silent),
        "class_without_line": sum(r.classed and not r.found for r in silent),
        "by_kind": {k: [sum(r.found for r in silent if r.kind == k), sum(r.kind == k for r in silent)] for k in kinds},
        "twins": len(twins),
        "twins_with_errors": sum(r.errors > 0 for r in twins),
        "twins_with_warnings": sum(r.warnings > 0 for r in twins),
        "not_answered": sum(r.state != "answered" for r in rows),
    }


def as_markdown(rows: Sequence[Row]) -> str:
    """The table, and the figures below it."""
    heads = ["program", "kind", "lines", "found", "verdict", "said", "checked", "s"]
    cells = [
        [
            f"{row.name}{' (held out)' if row.held_out else ''}",
            row.kind if row.silent else "healthy",
            ", ".join(map(str, row.lines)),
            _outcome(row),
            row.verdict or row.state,
            "; ".join(row.said)[:160],
            str(row.checked),
            f"{row.seconds:.0f}",
        ]
        for row in rows
    ]
    told = totals(rows)
    by_kind = ", ".join(f"{kind} {a} of {b}" for kind, (a, b) in told["by_kind"].items())
    lines = [
        _results.table(heads, cells),
        "",
        f"found with class and line: {told['found']} of {told['silent']} (at least 80 %): {by_kind}; "
        f"with the class at another line: {told['class_without_line']}",
        f"healthy twins: {told['twins']}; with errors {told['twins_with_errors']} (none), with warnings "
        f"{told['twins_with_warnings']} (at most 5 %); without an answer: {told['not_answered']}",
    ]
    return "\n".join(lines)


def _outcome(row: Row) -> str:
    if row.silent:
        return "yes" if row.found else "**class only**" if row.classed else "**no**"
    return f"**{row.errors} errors, {row.warnings} warnings**" if row.said else "quiet"


def as_data(rows: Sequence[Row]) -> dict[str, Any]:
    """What is written into the file of results."""
    return {"totals": totals(rows), "programs": [asdict(row) for row in rows]}


def measure(
    programs: Sequence[str],
    held_out: bool = False,
    report: Callable[[str], None] = lambda line: None,
    jobs: int = 1,
    on: str = "local",
) -> list[Row]:
    """Ask about each of the programs, and about its twin."""

    def say(row: Row) -> None:
        said = "; ".join(row.said)
        report(f"{row.name}: {row.verdict or row.state}, {_outcome(row)} ({said}; {row.seconds:.0f} s)")

    calls = [(which, held_out) for name in programs for which in (name, f"{name}{TWIN}")]
    return _spread.judged("benchmarks.silent", calls, say, jobs=jobs, on=on)


def sample(report: Callable[[str], None] = lambda line: None) -> list[Row]:
    """Pairs in the order of their hash, as many as a minute allows; one that does not end in time is left out."""

    def pair(name: str, left: float) -> tuple[Row, Row] | None:
        until = time.monotonic() + left
        first = judge(name, timeout=left)
        twin = judge(f"{name}{TWIN}", timeout=max(until - time.monotonic(), 1.0))
        return None if "timeout" in (first.state, twin.state) else (first, twin)

    rows: list[Row] = []
    for first, twin in _results.within_a_minute(names(), pair):
        rows += (first, twin)
        report(f"{first.name}: {_outcome(first)}; twin {_outcome(twin)}")
    return rows


def markdown() -> str:
    """Ask about all programs that are not set aside, write the results, and make the table."""
    rows = measure(names())
    _results.write("silent.json", SCHEMA, as_data(rows))
    return as_markdown(rows)


def main(arguments: Sequence[str] | None = None) -> int:
    """The named programs, a sample, or all; only all are written. 1 where a healthy program gets an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks silent", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="PROGRAM", help="its file name, or the beginning of it")
    parser.add_argument("--sample", action="store_true", help="chosen by hash; at most a minute")
    parser.add_argument("--held-out", action="store_true", help="the programs that were set aside")
    parser.add_argument("--kind", action="append", default=[], help="only faults of this kind")
    _spread.add_options(parser)
    options = parser.parse_args(arguments)

    def report(line: str) -> None:
        print(line, file=sys.stderr, flush=True)

    every = names(options.held_out)
    programs = [n for n in every if not options.names or any(n.startswith(word) for word in options.names)]
    if options.kind:
        programs = [n for n in programs if _kind(n, options.held_out) in options.kind]
    where = {"jobs": options.jobs, "on": options.on}
    rows = sample(report) if options.sample else measure(programs, options.held_out, report, **where)
    print(as_markdown(rows))
    if rows and not options.sample and programs == every:
        name = "silent-held-out.json" if options.held_out else "silent.json"
        print(f"written to {_results.write(name, SCHEMA, as_data(rows))}")
    return int(any(not row.silent and row.errors for row in rows))


def _kind(name: str, held_out: bool) -> str:
    folder = FOLDER / "held_out" if held_out else FOLDER
    return str(json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["kind"])


if __name__ == "__main__":
    raise SystemExit(main())
