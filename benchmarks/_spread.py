"""The programs of a bench, judged many at a time by one executor: threads of this machine, or a cluster (`--on`).

What travels is the name of the bench and plain values, such as the name of a program. Each program runs in processes of
its own, there as here. The workers of a cluster need this checkout, and must find it: start them in it, with
PYTHONPATH=. in their environment.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from importlib import import_module
from typing import Any

LOST = 3
"""A program that the cluster loses so often has no answer."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """`--jobs` and `--on`."""
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="programs at a time (1), or Slurm jobs")
    parser.add_argument("--on", default="local", metavar="WHERE", help="local, dask:ADDRESS, or slurm")


def judged(
    module: str,
    calls: Sequence[tuple[Any, ...]],
    report: Callable[[Any], None] = lambda row: None,
    *,
    jobs: int = 1,
    on: str = "local",
) -> list[Any]:
    """What `judge` of a bench says for each of these arguments, in their order; `report` hears each as it comes.

    Raises:
        BrokenExecutor: the cluster lost a program again and again.
    """
    from xladoctor.cluster.opened import opened

    rows: dict[int, Any] = {}
    with ExitStack() as stack:
        cluster = stack.enter_context(opened(on, jobs))
        executor: Executor = (
            stack.enter_context(ThreadPoolExecutor(max(jobs, 1))) if cluster is None else cluster.executor
        )
        waiting: dict[Future[Any], int] = {executor.submit(judge, module, call): at for at, call in enumerate(calls)}
        lost: dict[int, int] = {}
        while waiting:
            done = next(as_completed(waiting))
            at = waiting.pop(done)
            try:
                rows[at] = done.result()
            except BrokenExecutor:
                lost[at] = lost.get(at, 0) + 1
                if lost[at] == LOST:
                    raise
                waiting[executor.submit(judge, module, calls[at])] = at
                continue
            report(rows[at])
    return [rows[at] for at in range(len(calls))]


def judge(module: str, call: tuple[Any, ...]) -> Any:
    """One row of a bench."""
    return import_module(module).judge(*call)
