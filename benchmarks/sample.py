"""A few programs that nobody chose, from all benches that judge the doctor: `python -m benchmarks.sample`.

In the order of the hash of the commit and the program's name, while they fit in a minute. It ends with 1 where the
doctor says what is not true, and the results that are committed (`benchmarks/results`) do not know of it.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from benchmarks import _results, blame, silent, truth, verdicts

MOST = 5
FIRST = 30.0
"""Seconds that a program is given at the least: one that takes longer is left to the full bench."""


@dataclass(frozen=True)
class Bench:
    """Programs whose truth is known.

    `untrue` says what is false of the answer about one, or nothing; `was_untrue` whether a committed row says the same.
    """

    name: str
    results: str
    names: Callable[[], list[str]]
    untrue: Callable[[str, float], str]
    was_untrue: Callable[[dict[str, Any]], bool]


def _verdict(name: str, timeout: float) -> str:
    row = verdicts.judge(name, timeout)
    return row.outcome if row.outcome.startswith("false") else ""


def _truth(name: str, timeout: float) -> str:
    return "; ".join(claim for claim in truth.judge(name, timeout).wrong if not claim.startswith("no diagnosis"))


def _blame(name: str, timeout: float) -> str:
    row = blame.judge(name, timeout)
    return "the traceback's line is wrong, and another is blamed" if row.false_blame and not row.note else ""


def _silent(name: str, timeout: float) -> str:
    row = silent.judge(name, timeout=timeout)
    return "an error on a healthy twin" if row.errors and not row.silent else ""


BENCHES = (
    Bench(
        "verdicts", "preflight-programs.json", verdicts.names, _verdict,
        lambda row: str(row["outcome"]).startswith("false"),
    ),
    Bench(
        "truth", "truth.json", lambda: [n for n in truth.names() if not n.startswith("held_out/")], _truth,
        lambda row: bool(row["wrong"]),
    ),
    Bench(
        "blame", "blame-programs.json", blame.names, _blame,
        lambda row: row["crash"] in row["wrong"] and not row["exact"],
    ),
    # Only of a healthy twin can an error be untrue.
    Bench(
        "silent", "silent.json", lambda: [f"{name}{silent.TWIN}" for name in silent.names()], _silent,
        lambda row: not row["silent"] and any(said.startswith("error ") for said in row["said"]),
    ),
)  # fmt: skip


def known(bench: Bench) -> frozenset[str]:
    """Programs of which the committed results say something untrue already, also while they were set aside."""
    try:
        told = json.loads((_results.RESULTS / bench.results).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return frozenset()
    return frozenset(row["name"].removeprefix("held_out/") for row in told["programs"] if bench.was_untrue(row))


def chosen() -> Iterator[tuple[Bench, str]]:
    """Every program of every bench, in the order of this commit."""
    programs = {f"{bench.name} {name}": (bench, name) for bench in BENCHES for name in bench.names()}
    yield from (programs[key] for key in _results.by_hash(programs))


def main() -> int:
    """Judge programs for a minute. 1 where the doctor says something untrue that was not known."""
    deadline = time.monotonic() + _results.MINUTE
    new = 0
    for number, (bench, name) in enumerate(chosen()):
        left = deadline - time.monotonic()
        if number >= MOST or left < FIRST:
            break
        untrue = bench.untrue(name, left)
        is_new = bool(untrue) and name not in known(bench)
        new += is_new
        sys.stdout.write(f"{bench.name} {name}: {f'FALSE: {untrue}' if untrue else 'nothing untrue'}\n")
        sys.stdout.flush()
    return int(new > 0)


if __name__ == "__main__":
    raise SystemExit(main())
