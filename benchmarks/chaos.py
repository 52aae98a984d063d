"""What a program notices of the doctor when the surroundings go wrong: `python -m benchmarks chaos`.

Each cell is a kind of program (`benchmarks/programs/chaos`) in a fault of the surroundings. It is run twice without
the doctor: where these two differ the cell is not comparable, and the reason is shown. Then it is run with `xladoctor
scan`, and both are compared: output, exit status, files, final weights, and processes that stay behind. What the
doctor writes after the last byte of the program is its own and is not compared.
`python -m benchmarks.chaos --kinds noisy,plain --faults SIGTERM` makes some cells; `--sample` takes cells in the order
of their hash while they fit in a minute.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import _results
from benchmarks._observe import Observation, observe
from benchmarks._surroundings import FAULTS, Fault

FOLDER = _results.PROGRAMS / "chaos"
TENSORFLOW = ("keras_fit", "tape_loop", "jit_function", "data_pipeline")
KINDS = (
    *TENSORFLOW, "processes", "threads", "subprocess_tree", "daemonise", "noisy", "own_signals", "files", "plain",
)  # fmt: skip
SCHEMA = "xladoctor.benchmarks-chaos/1"
MINUTE = 60.0
SECONDS = {True: 25.0, False: 5.0}
"""What a cell takes on a quiet machine, with TensorFlow and without."""
Plain = dict[tuple[str, str], tuple[Observation, Observation]]


@dataclass(frozen=True)
class Difference:
    """One thing that is otherwise with the doctor."""

    what: str
    detail: str


@dataclass(frozen=True)
class Cell:
    """A kind of program in a fault: same, different, or not comparable (and why)."""

    kind: str
    fault: str
    result: str
    differences: tuple[Difference, ...]
    seconds: float


def compare(plain: Observation, other: Observation, fault: Fault) -> list[Difference]:
    """What of the second run is not as in the first; the second may have written more after the end of the first."""
    differences = []
    if other.hangs != plain.hangs:
        differences.append(Difference("end", "does not end" if other.hangs else "ends, does not end without"))
    if other.reached != plain.reached:
        differences.append(Difference("progress", "the middle of the program was not reached"))
    if not fault.kills_doctor and _status(plain) != _status(other) and not other.hangs:
        differences.append(Difference("status", f"{_status(plain)} -> {_status(other)}"))
    if not other.out.startswith(plain.out) and not fault.reader_leaves:
        differences.append(Difference("stdout", _apart(plain.out, other.out)))
    if not other.err.startswith(plain.err):
        differences.append(Difference("stderr", _apart(plain.err, other.err)))
    for name in sorted({*plain.files, *other.files}):
        before, after = plain.files.get(name, "missing"), other.files.get(name, "missing")
        if before != after:
            differences.append(Difference("weights" if "weights" in name else "files", f"{name}: {before} -> {after}"))
    if other.survivors != plain.survivors:
        differences.append(Difference("processes left", f"{list(plain.survivors)} -> {list(other.survivors)}"))
    return differences


def _status(seen: Observation) -> int:
    return 128 - seen.status if seen.status < 0 else seen.status


def _apart(plain: bytes, other: bytes) -> str:
    pairs = zip(plain, other, strict=False)
    place = next((k for k, (a, b) in enumerate(pairs) if a != b), min(len(plain), len(other)))
    around = slice(max(0, place - 20), place + 60)
    sizes = f"{len(plain)} bytes -> {len(other)} bytes"
    return f"{sizes}, from byte {place}: {plain[around]!r} -> {other[around]!r}"


def make(kind: str, fault: Fault, root: Path, plain: Plain, timeout: float = 120) -> Cell:
    """Run a cell; what a plain run saw of the same surroundings is taken from `plain`."""
    started = time.monotonic()
    program = FOLDER / f"{kind}.py"
    folder = root / "cell"  # the same path each time: paths are in tracebacks
    doctor = str(Path(sys.executable).with_name("xladoctor"))
    words = [doctor, "scan", "--quiet", "--no-replay", "--exit-code", "target", "--run-dir", str(folder / "run"), "--"]
    key = (kind, repr(fault.plain()))
    try:
        if key not in plain:
            plain[key] = (observe(program, fault, folder, (), timeout), observe(program, fault, folder, (), timeout))
        first, second = plain[key]
        unlike = compare(first, second, fault) or compare(second, first, fault)
        if first.hangs:
            unlike = [Difference("end", f"a run without the doctor does not end in {timeout:.0f} s")]
        differences = unlike or compare(first, observe(program, fault, folder, words, timeout), fault)
    except OSError as error:
        unlike = differences = [Difference("bench", str(error))]
    result = "not comparable" if unlike else "different" if differences else "same"
    return Cell(kind, fault.name, result, tuple(differences), round(time.monotonic() - started, 1))


def measure(
    kinds: Sequence[str], faults: Sequence[Fault], report: Callable[[str], None] = lambda line: None
) -> list[Cell]:
    """Every kind in every fault."""
    cells = []
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as root:
        for kind in kinds:
            plain: Plain = {}
            for fault in faults:
                cells.append(make(kind, fault, Path(root), plain))
                report(line(cells[-1]))
    return cells


def sample(report: Callable[[str], None] = lambda line: None) -> list[Cell]:
    """Cells in the order of their hash, as many as a minute allows; one that does not end in its time is left out."""
    end = time.monotonic() + MINUTE
    cells: list[Cell] = []
    every = {f"{kind} in {fault.name}": (kind, fault) for kind in KINDS for fault in FAULTS}
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as root:
        for name in _results.by_hash(every):
            kind, fault = every[name]
            left = end - time.monotonic()
            if left > SECONDS[kind in TENSORFLOW]:
                cell = make(kind, fault, Path(root), {}, timeout=left / 3)
                if any(difference.what == "end" for difference in cell.differences):
                    report(f"left out: {line(cell)}")
                    continue
                cells.append(cell)
                report(line(cell))
    return cells


def line(cell: Cell) -> str:
    """A cell on one line."""
    what = "; ".join(f"{d.what}: {d.detail[:150]}" for d in cell.differences[:3])
    return f"{cell.kind} in {cell.fault}: {cell.result} ({cell.seconds:.0f} s) {what}".rstrip()


def as_markdown(cells: Sequence[Cell]) -> str:
    """What differs as a row each, and the figures."""
    rows = [
        [cell.kind, cell.fault, cell.result, d.what, f"`{d.detail[:200]}`"]
        for cell in cells
        for d in cell.differences
        if cell.result != "same"
    ]
    counts = ", ".join(f"{count} {result}" for result, count in totals(cells).items())
    return f"{_results.table(['program', 'fault', 'result', 'what', 'detail'], rows)}\n\n{len(cells)} cells: {counts}"


def totals(cells: Sequence[Cell]) -> dict[str, int]:
    """How many of each result."""
    return {result: sum(c.result == result for c in cells) for result in ("same", "different", "not comparable")}


def as_data(cells: Sequence[Cell]) -> dict[str, Any]:
    """What is written into the file of results."""
    return {"totals": totals(cells), "cells": [asdict(cell) for cell in cells]}


def markdown() -> str:
    """Run all cells, write the results, and make the table."""
    cells = measure(KINDS, FAULTS)
    _results.write("chaos.json", SCHEMA, as_data(cells))
    return as_markdown(cells)


def main() -> int:
    """The named cells, a sample, or all of them; only all of them are written. 1 where the doctor was noticed."""
    names = [fault.name for fault in FAULTS]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chaos", description=__doc__)
    parser.add_argument("--kinds", default=",".join(KINDS), metavar="LIST", help=f"of {', '.join(KINDS)}")
    parser.add_argument("--faults", action="append", metavar="NAME", help=f"of {'; '.join(names)}; may be repeated")
    parser.add_argument("--sample", action="store_true", help="chosen by hash; at most a minute")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(143))  # so that what runs is ended, too
    kinds = [kind for kind in KINDS if kind in options.kinds.split(",")]
    faults = [fault for fault in FAULTS if not options.faults or fault.name in options.faults]
    if not kinds or not faults:
        parser.error("there is no such kind or fault")

    def report(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    cells = sample(report) if options.sample else measure(kinds, faults, report)
    print(as_markdown(cells))
    if not options.sample and len(cells) == len(KINDS) * len(FAULTS):
        print(f"written to {_results.write('chaos.json', SCHEMA, as_data(cells))}")
    return int(any(cell.result == "different" for cell in cells))


if __name__ == "__main__":
    raise SystemExit(main())
