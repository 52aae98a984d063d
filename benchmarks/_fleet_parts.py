"""What the one process that coordinates a survey does for each log, part by part, as CPU time in microseconds."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks import _fleet_logs
from xladoctor.fleet import read, surveying, table
from xladoctor.fleet.read import Work
from xladoctor.fleet.store import Row, Store, name_of
from xladoctor.survey.batches import in_batches, processes
from xladoctor.survey.find import targets_in

_TOGETHER = 500
_kept: dict[bytes, Row] = {}


def measured(folder: Path, count: int, jobs: int) -> dict[str, float]:
    """Each part by itself, over `count` logs of which half failed."""
    for number in range(count):
        _fleet_logs.write_one(folder / "logs", number)
    time.sleep(3)  # what was written a moment ago is read again
    spent: dict[str, float] = {}

    @contextmanager
    def part(name: str) -> Iterator[None]:
        before = _own()
        yield
        spent[name] = (_own() - before) / count * 1e6

    with part("walk"):
        targets = list(targets_in(folder / "logs"))
    with part("size and time"):
        work = [Work(target, read.stamp_of(target)[0], None) for target in targets]
    store = Store(folder / "s.sqlite", "rules")
    names = [name_of(each.target.paths) for each in work]
    read.warm_up()
    rows = list(in_batches(read.read_batch, work, lambda: processes(jobs), jobs, surveying._lost))
    _kept.update({row.name: row for row in rows})
    with part("send and receive"):
        list(in_batches(_echo, work, lambda: processes(jobs), jobs, surveying._lost))
    with part("write"):
        for start in range(0, count, _TOGETHER):
            with store.writing():
                for row in rows[start : start + _TOGETHER]:
                    store.write(row)
    with part("ask the store"):
        for start in range(0, count, _TOGETHER):
            store.known(names[start : start + _TOGETHER])
    with part("table"):
        table.fleet(store, (str(folder),), now=time.time(), since=None, read=count)
    with part("all of it, unchanged"):
        found = surveying.survey([folder / "logs"], store, now=time.time(), jobs=jobs)
    if found.read or found.runs != count:
        raise RuntimeError(f"{found.runs} runs, {found.read} read again")
    spent["all of it, cold"] = sum(value for name, value in spent.items() if name != "all of it, unchanged")
    store.close()
    return spent


def _echo(batch: Sequence[Work]) -> list[Row]:
    """The rows that are known, without work: the processes were forked with them."""
    return [_kept[name_of(work.target.paths)] for work in batch]


def _own() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
