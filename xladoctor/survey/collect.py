"""Diagnoses the targets of a survey, one by one or in several processes; what cannot be read is told, and not fatal."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from pathlib import Path

from xladoctor.errors import XladoctorError
from xladoctor.machine import processors
from xladoctor.model.survey import Run, Target
from xladoctor.survey.batches import BATCH, in_batches, processes

Progress = Callable[[int, int], None]

# Below this a pool of processes costs more than it saves.
_WORTH_BYTES, _WORTH_RUNS = 64_000_000, 24


def collect(
    targets: Sequence[Target],
    jobs: int | None = None,
    progress: Progress | None = None,
    executor: Callable[[], Executor] | None = None,
) -> list[Run | str]:
    """For each target its run, or a sentence on why there is none.

    `jobs` is the number of processes; without it, one for little work and one a processor for much. `executor` makes
    others than those of this machine. An interrupt ends the processes and is passed on.
    """
    jobs = min(jobs or _jobs_for(targets), max(len(targets), 1))
    if executor is not None:
        jobs = max(jobs, 2)
    # Standard input is read here: no other process has it.
    alone = [at for at, target in enumerate(targets) if "-" in target.paths]
    if jobs == 1:
        alone = list(range(len(targets)))
    done: list[Run | str] = [f"{target.name}: was not looked at" for target in targets]
    finished = 0
    for at in alone:
        done[at] = one(targets[at], None if jobs == 1 else 1)
        finished += 1
        if progress:
            progress(finished, len(targets))
    if jobs > 1:
        rest = [at for at in range(len(targets)) if at not in set(alone)]
        for at, result in _in_processes([(at, targets[at]) for at in rest], jobs, executor):
            done[at] = result
            finished += 1
            if progress:
                progress(finished, len(targets))
    return done


def one(target: Target, threads: int | None = None) -> Run | str:
    """One run with its diagnosis, or why there is none."""
    from xladoctor.saved import scan_logs, scan_run

    try:
        if target.kind == "run":
            folder = Path(target.paths[0])
            return Run(target, scan_run(folder), _ended(folder))
        return Run(target, scan_logs(list(target.paths), threads=threads), _written(target.paths))
    except XladoctorError as error:
        return _without_unreadable(target, error, threads)
    except OSError as error:
        return f"{target.name}: {(error.strerror or str(error)).lower()}"


def _without_unreadable(target: Target, error: XladoctorError, threads: int | None) -> Run | str:
    """What the other logs of a run say where one of them cannot be read."""
    if len(target.paths) == 1:
        return error.message
    runs = {path: one(Target("logs", (path,)), threads) for path in target.paths}
    good = [path for path, run in runs.items() if isinstance(run, Run)]
    said = [run for run in runs.values() if isinstance(run, str)]
    if not good or not said:
        return error.message
    rest = one(Target("logs", tuple(good)), threads)
    if isinstance(rest, str):
        return rest
    return replace(rest, target=target, diagnosis=replace(rest.diagnosis, problems=(*rest.diagnosis.problems, *said)))


def _in_processes(
    work: Sequence[tuple[int, Target]], jobs: int, executor: Callable[[], Executor] | None = None
) -> Iterator[tuple[int, Run | str]]:
    size = max(1, min(BATCH, len(work) // (4 * jobs)))
    yield from in_batches(_some, work, executor or (lambda: processes(jobs)), jobs, _lost, size)


def _some(work: Sequence[tuple[int, Target]]) -> list[tuple[int, Run | str]]:
    return [(at, one(target, 1)) for at, target in work]


def _lost(work: tuple[int, Target]) -> tuple[int, Run | str]:
    at, target = work
    return at, f"{target.name}: the process that read it died (was it killed, or out of memory?)"


def _jobs_for(targets: Sequence[Target]) -> int:
    size = sum(_size(path) for target in targets for path in target.paths)
    if size < _WORTH_BYTES and len(targets) < _WORTH_RUNS:
        return 1
    return processors()


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


def _written(paths: Sequence[str]) -> float | None:
    """When the last of the logs was written to."""
    return max((time for path in paths if (time := _changed(path)) is not None), default=None)


def _changed(path: str) -> float | None:
    try:
        return None if path == "-" else os.stat(path).st_mtime  # noqa: PTH116 - a Path costs more than the call
    except OSError:
        return None


def _ended(folder: Path) -> float | None:
    """When a recorded run ended, else when it started, else when its folder was last written to."""
    from datetime import datetime

    from xladoctor.recording import files

    try:
        facts = files.read_table(folder, "run.json")
        for name in ("ended", "started"):
            said = facts.get(name)
            if isinstance(said, (int, float)) and not isinstance(said, bool):
                return float(said)
            if isinstance(said, str):
                return datetime.fromisoformat(said.replace("Z", "+00:00")).timestamp()
    except (OSError, ValueError, OverflowError, files.Unusable):
        pass
    return _written([str(folder)])
