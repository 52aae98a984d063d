"""What a sweep costs against one fresh process a size, and how many tries a threshold takes.

Both sides do the same at each size: build the call of `ptycho.subjects`, trace it where it must be traced, call it
twice. The sweep does all sizes in one worker and includes the start of that worker; the peer starts a worker for each
size. The peer is run at some sizes, spread over the range, and its mean counts for each.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.figure import Figure
from xladoctor.experiments.search import drive
from xladoctor.experiments.sweep import Asked, sweep
from xladoctor.model.replay import Case
from xladoctor.protocol import requests
from xladoctor.workers.bench import Bench
from xladoctor.workers.subject import find

ROOT = Path(__file__).resolve().parents[1]
WIDE = range(1, 4097)


def swept(name: str, sizes: Sequence[int]) -> float:
    """Seconds for all sizes in one worker that is started for it."""
    with tempfile.TemporaryDirectory() as folder, _bench(name, folder) as bench:
        start = time.perf_counter()
        found = sweep(bench, Asked(tuple(sizes), exhaustive=True, by_row=True))
        seconds = time.perf_counter() - start
        bad = [o for o in found.outcomes if o.state != "passed"]
        if bad or len(found.outcomes) != len(sizes):
            raise RuntimeError(f"the sweep of {name} did not pass everywhere: {bad[:1]}")
    return seconds


def fresh(name: str, sizes: Sequence[int]) -> float:
    """The mean number of seconds for one size in a process of its own."""
    spent = 0.0
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, _bench(name, folder) as bench:
            start = time.perf_counter()
            answer = bench.ask(requests.Call(own=True), Case(size))
            spent += time.perf_counter() - start
            if not answer.ok:
                raise RuntimeError(f"{name} at {size}: {answer.message}")
    return spent / len(sizes)


def _bench(name: str, folder: str) -> Bench:
    return Bench(find(None, name, python=sys.executable, cwd=ROOT), Path(folder))


def compared(title: str, name: str, sizes: Sequence[int], peers: Sequence[int], limit: float) -> Figure:
    """One sweep against as many fresh processes."""
    peer = fresh(name, peers) * len(sizes)
    return Figure(title, swept(name, sizes), "s", "one fresh process a size", peer, limit)


def most_tries() -> Figure:
    """The most tries that any single threshold in 1..4096 takes; nothing is run for it but the search."""
    most = max(len(drive(WIDE, lambda n, t=t: n >= t)) for t in range(2, 4097))  # type: ignore[misc]
    return Figure("most tries for one threshold in 1..4096", most, "tries", "promised", 16, 1.0)


def figures() -> list[Figure]:
    """The figures of the sweep."""
    return [
        most_tries(),
        compared(
            "ptycho's reassembly at 1..64, exhaustively",
            "ptycho:reassemble",
            range(1, 65),
            (1, 9, 16, 23, 31, 40, 48, 64),
            1 / 10,
        ),
        compared("ptycho's train step at 1..24", "ptycho:train_step", range(1, 25), (1, 8, 16, 24), 1 / 3),
    ]
