"""`survey ROOT`: the runs below some folders, of which only those are read that are new or changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from xladoctor.errors import XladoctorError
from xladoctor.fleet import read, table
from xladoctor.fleet.read import Work
from xladoctor.fleet.store import Known, Row, Store, name_of, paths_of
from xladoctor.machine import processors
from xladoctor.model.fleet import Fleet
from xladoctor.model.survey import Target
from xladoctor.survey.batches import in_batches, processes
from xladoctor.survey.find import targets_in

Progress = Callable[[int, int], None]
_TOGETHER = 500
FEW = 200
"""Fewer runs than this are read in this process."""


@dataclass
class Counts:
    """How many runs were seen so far, and how many of them were read."""

    seen: int = 0
    read: int = 0


def survey(
    roots: Sequence[Path],
    store: Store,
    *,
    now: float,
    since: float | None = None,
    jobs: int | None = None,
    executor: Callable[[], Executor] | None = None,
    progress: Progress | None = None,
) -> Fleet:
    """Bring the store up to date with what lies below `roots`, and make the table of it. `since` leaves out runs that
    ended before that time.

    Raises:
        XladoctorError: a root is no folder that can be read, or the store cannot be used.
    """
    jobs = jobs or processors()
    counts = Counts()
    store.forget_present()
    found = _to_read(_targets(roots, since), store, counts)
    rows = _rows(found, jobs, executor)
    # What was written before an interrupt counts, and another survey waits for moments only.
    while part := list(islice(rows, _TOGETHER)):
        with store.writing():
            for row in part:
                store.write(row)
        counts.read += sum(not row.same for row in part)
        if progress:
            progress(counts.seen, counts.read)
    return table.fleet(store, tuple(map(str, roots)), now=now, since=since, read=counts.read)


def _rows(found: Iterator[Work], jobs: int, executor: Callable[[], Executor] | None) -> Iterator[Row]:
    first = list(islice(found, FEW))
    if not first:
        return
    if executor is None and (jobs == 1 or len(first) < FEW):
        yield from read.read_batch(first)
        for work in found:
            yield from read.read_batch([work])
        return
    read.warm_up()
    make = executor or (lambda: processes(jobs))
    rows = in_batches(read.read_batch, chain(first, found), make, jobs, _lost)
    yield from rows if executor is None else _seen_from_here(rows)


def _seen_from_here(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows. A file that a machine of the cluster does not see (a shared file system lags) is read by this one."""
    unseen: list[Row] = []
    for row in rows:
        if row.gone:
            unseen.append(row)
        else:
            yield row
    for row in unseen:
        yield from read.read_batch(
            [Work(Target("run" if row.kind == "run" else "logs", tuple(paths_of(row.name))), row.stamp, None)]
        )


def _lost(work: Work) -> Row:
    target = work.target
    said = f"{target.name}: the process that read it died (was it killed, or out of memory?)"
    return Row(name_of(target.paths), target.kind, work.stamp, None, False, None, problem=said)


def _targets(roots: Sequence[Path], since: float | None) -> Iterator[tuple[Target, str]]:
    """The runs below the roots with their stamps, in absolute paths."""
    for root in roots:
        try:
            for target in targets_in(Path(os.path.abspath(root)), unlisted=True):  # noqa: PTH100 - the links in it stay
                try:
                    stamp, written = read.stamp_of(target)
                except OSError as error:
                    yield target, f"?{error.errno}"
                    continue
                if since is None or written >= since:
                    yield target, stamp
        except OSError as error:
            raise XladoctorError(f"{root}: {(error.strerror or str(error)).lower()}") from error


def _to_read(targets: Iterable[tuple[Target, str]], store: Store, counts: Counts) -> Iterator[Work]:
    """Of the runs those that are new or changed; the others are counted."""
    part: dict[bytes, tuple[Target, str]] = {}
    for target, stamp in targets:
        part[name_of(target.paths)] = target, stamp
        if len(part) == _TOGETHER:
            yield from _changed(part, store, counts)
            part = {}
    yield from _changed(part, store, counts)


def _changed(part: dict[bytes, tuple[Target, str]], store: Store, counts: Counts) -> Iterator[Work]:
    counts.seen += len(part)
    known = store.known(list(part))
    store.present(k.id for name, k in known.items() if _is_known(k, part[name][1]))
    for name, (target, stamp) in part.items():
        about = known.get(name)
        if about is None:
            yield Work(target, stamp, None)
        elif not _is_known(about, stamp):
            yield Work(target, stamp, about.digest if about.current else None)


def _is_known(known: Known, stamp: str) -> bool:
    return known.current and known.settled and known.stamp == stamp
