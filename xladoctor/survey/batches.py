"""Batches of work in processes that stay warm, through any executor; a process that dies costs no other answer.

A batch is small next to what a process does in a second, and large next to what it costs to send. So many are under way
that no process waits, and no more: memory does not grow with the number of runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from typing import TypeVar

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Task = Callable[[Sequence[Item]], "list[Answer]"]

BATCH = 64
AHEAD = 3


def in_batches(
    task: Task[Item, Answer],
    items: Iterable[Item],
    executor: Callable[[], Executor],
    jobs: int,
    lost: Callable[[Item], Answer],
    size: int | None = None,
) -> Iterator[Answer]:
    """What `task` makes of all items, `size` at a time and in any order. `executor` makes a new one where processes
    died; an item with which one dies again, by itself, has the answer `lost`.
    """
    waiting: dict[Future[list[Answer]], list[Item]] = {}
    again: list[Item] = []
    pool = executor()
    try:
        for batch in _batches(items, size or BATCH):
            pool = _submitted(pool, task, batch, waiting, executor)
            while len(waiting) >= jobs * AHEAD:
                yield from _finished(waiting, again)
        while waiting:
            yield from _finished(waiting, again)
        for item in again:
            yield from _alone(task, item, executor, lost)
    except BaseException:
        _end(pool)
        raise
    pool.shutdown()


def _submitted(
    pool: Executor,
    task: Task[Item, Answer],
    batch: list[Item],
    waiting: dict[Future[list[Answer]], list[Item]],
    executor: Callable[[], Executor],
) -> Executor:
    try:
        waiting[pool.submit(task, batch)] = batch
    except BrokenExecutor:
        # What was under way in the broken one is lost as well; its futures say so.
        pool.shutdown(wait=False)
        pool = executor()
        waiting[pool.submit(task, batch)] = batch
    return pool


def _finished(waiting: dict[Future[list[Answer]], list[Item]], again: list[Item]) -> Iterator[Answer]:
    done, _ = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        batch = waiting.pop(future)
        try:
            yield from future.result()
        except BrokenExecutor:
            again += batch


def _alone(
    task: Task[Item, Answer], item: Item, executor: Callable[[], Executor], lost: Callable[[Item], Answer]
) -> Iterator[Answer]:
    pool = executor()
    try:
        yield from pool.submit(task, [item]).result()
    except BrokenExecutor:
        yield lost(item)
    finally:
        _end(pool)


def _batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    batch: list[Item] = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def processes(jobs: int) -> Executor:
    """Processes on this machine, forked from one that has loaded everything."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    method = "fork" if sys.platform == "linux" else "spawn"
    return ProcessPoolExecutor(jobs, multiprocessing.get_context(method), initializer=_leave_interrupts)


def _leave_interrupts() -> None:
    """Ctrl-C reaches every process of the terminal; the one that started the others ends them."""
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end(pool: Executor) -> None:
    """End it now: its processes only read."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
