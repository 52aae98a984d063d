"""How many logs `survey` reads in a second, cold and unchanged, how much memory that takes, and whether it says what
`scan FILE` says.

`python -m benchmarks fleet [--logs 1000,10000,100000] [--jobs N] [--sample 1000] [--parts N]`. The logs have 20 kB each
(`_fleet_logs.py`); healthy and failing ones are surveyed apart, each time with an empty store, and then once more. With
the rate stands the CPU time for one log over all processes: on a machine that does other things it says more. The
limits hold for the last number of logs. `--parts N` measures nothing but what the coordinating process does for a log.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks import _fleet_logs
from benchmarks._results import ROOT, by_hash, table, write

OPTIONS = True
HEALTHY, FAILING, TIMES, MEGABYTES = 1500, 500, 20, 500
"""The limits: logs a second cold on two cores, how many times as many unchanged ones, and memory. With few logs the
start of the processes counts, so they are held against the largest number of logs; the times against all of these logs.
"""


def surveyed(root: Path, store: Path, jobs: int | None) -> dict[str, float]:
    """One survey in a process of its own: what it took."""
    words = [sys.executable, "-m", "benchmarks.fleet", "--one", str(root), str(store), str(jobs or 0)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True)
    runs, read, seconds, cpu, megabytes = map(float, done.stdout.split())
    return {"runs": runs, "read": read, "seconds": seconds, "cpu": cpu, "megabytes": megabytes}


def _one(root: str, store: str, jobs: str) -> None:
    from xladoctor.commands.fleet import survey

    start = time.perf_counter()
    found = survey([Path(root)], now=time.time(), store=Path(store), jobs=int(jobs) or None)
    seconds = time.perf_counter() - start
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    cpu = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
    # The largest process, as often as there are any: an upper bound of what they had together.
    processes = 1 + (int(jobs) or 2)
    print(found.runs, found.read, seconds, cpu, max(own.ru_maxrss, others.ru_maxrss) * processes / 1024)


def measured(folder: Path, count: int, jobs: int | None) -> dict[str, Any]:
    """Healthy and failing logs, cold and unchanged."""
    row: dict[str, Any] = {"logs": count}
    seconds = {"cold": 0.0, "unchanged": 0.0}
    for kind, first in (("healthy", 0), ("failing", 1)):
        root, store = folder / f"{kind}-{count}", folder / f"{kind}-{count}.sqlite"
        for number in range(first, 2 * (count // 2), 2):
            _fleet_logs.write_one(root, number)
        time.sleep(3)  # what was written a moment ago is read again
        cold, warm = surveyed(root, store, jobs), surveyed(root, store, jobs)
        if cold["read"] != cold["runs"] or warm["read"]:
            raise RuntimeError(f"{kind}: {cold} {warm}")
        seconds["cold"] += cold["seconds"]
        seconds["unchanged"] += warm["seconds"]
        row |= {
            f"{kind}_a_second": cold["runs"] / cold["seconds"],
            f"{kind}_cpu_ms": cold["cpu"] / cold["runs"] * 1000,
            f"{kind}_unchanged_times": cold["seconds"] / warm["seconds"],
            f"{kind}_unchanged_cpu_ms": warm["cpu"] / warm["runs"] * 1000,
            f"{kind}_megabytes": max(cold["megabytes"], warm["megabytes"]),
        }
    return row | {"unchanged_times": seconds["cold"] / seconds["unchanged"]}


def disagreements(folder: Path, sample: int) -> list[str]:
    """The logs of a sample for which the store holds another root cause than `scan FILE` finds."""
    import json
    import sqlite3

    from xladoctor.fleet import read
    from xladoctor.fleet.store import name_of
    from xladoctor.saved import scan_logs

    wrong: list[str] = []
    for store in sorted(folder.glob("*.sqlite")):
        base = sqlite3.connect(store)
        root = store.with_suffix("")
        files = by_hash(str(file) for file in root.rglob("*.out"))[: sample // 2]
        for file in files:
            verdict, finding = base.execute(
                "SELECT verdict, finding FROM runs WHERE name = ?", (name_of([file]),)
            ).fetchone()
            alone = scan_logs([file])
            if (verdict, finding and json.loads(finding)) != (alone.verdict, read.quoted(alone)):
                wrong.append(file)
        base.close()
    return wrong


def main(arguments: list[str]) -> int:
    """Measures, prints a table, and returns 1 where a limit was missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks fleet", description=__doc__)
    parser.add_argument("--logs", default="1000,10000,100000")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--parts", type=int, metavar="N", help="what the coordinating process does, over N logs")
    asked = parser.parse_args(arguments)
    if asked.parts:
        return _parts(asked.parts, asked.jobs or 2)
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for count in map(int, asked.logs.split(",")):
            folder = Path(place) / str(count)
            folder.mkdir()
            rows.append(measured(folder, count, asked.jobs))
        wrong = disagreements(folder, asked.sample)
    heads = list(rows[0])
    print(table(heads, ([f"{row[head]:.4g}" for head in heads] for row in rows)))
    print(f"\n{asked.sample} logs of the last row, also by `scan FILE`: {len(wrong)} differ", *wrong[:5])
    write("fleet.json", "xladoctor.benchmark-fleet/1", {"rows": rows, "sample": asked.sample, "differ": len(wrong)})
    return int(bool(wrong) or not _holds(rows[-1]))


def _parts(count: int, jobs: int) -> int:
    from benchmarks import _fleet_parts

    with tempfile.TemporaryDirectory() as place:
        spent = _fleet_parts.measured(Path(place), count, jobs)
    print(table(["part", "CPU µs a log"], ([name, f"{value:.1f}"] for name, value in spent.items())))
    write("fleet-parts.json", "xladoctor.benchmark-fleet-parts/1", {"logs": count, "microseconds": spent})
    return 0


def _holds(row: dict[str, Any]) -> bool:
    return bool(
        row["healthy_a_second"] >= HEALTHY
        and row["failing_a_second"] >= FAILING
        and row["unchanged_times"] >= TIMES
        and max(row["healthy_megabytes"], row["failing_megabytes"]) <= MEGABYTES
    )


def markdown() -> str:
    """The table, with the usual numbers of logs."""
    return "" if main([]) == 0 else "A limit was missed."


if __name__ == "__main__":
    _one(*sys.argv[2:])
