"""One look at a running program: its processes, their stacks, and its recording."""

from __future__ import annotations

from pathlib import Path

from xladoctor import __version__
from xladoctor.attach import processes, recorded, stacks
from xladoctor.attach.processes import Seen
from xladoctor.attach.values import Look, Process, Recorded, Thread
from xladoctor.errors import XladoctorError


def look(pid: int, run_dir: Path | None = None) -> Look:
    """Look at a process and all that it started. Nothing is stopped.

    Raises:
        XladoctorError: there is no such process, or `run_dir` is no run folder; or py-spy is missing, and nothing was
            recorded.
    """
    seen = processes.family(pid)
    pids = [one.pid for one in seen]
    problems: list[str] = []
    folder = run_dir or processes.run_folder(pids)
    recording = _recorded(folder, pids, run_dir is not None, problems)
    try:
        py_spy = stacks.program()
    except XladoctorError as error:
        if recording is None:
            raise
        problems.append(f"{error.message}. {error.hint}")
        found = [_process(one) for one in seen]
    else:
        found = [_with_stacks(one, py_spy, problems) for one in seen]
    return Look(pid, tuple(found), recording, tuple(dict.fromkeys(problems)), __version__)


def _recorded(folder: Path | None, pids: list[int], asked: bool, problems: list[str]) -> Recorded | None:
    if folder is None:
        return None
    try:
        return recorded.of_run(folder, pids)
    except XladoctorError as error:
        if asked:
            raise
        # The environment of a process can name a folder that is gone.
        problems.append(error.message)
        return None


def _process(seen: Seen) -> Process:
    return Process(seen.pid, seen.parent, seen.command, seen.state, seen.busy)


def _with_stacks(seen: Seen, py_spy: str, problems: list[str]) -> Process:
    threads: tuple[Thread, ...] = ()
    why = None
    try:
        threads = stacks.of_process(py_spy, seen.pid)
    except stacks.NotPermitted:
        why = "ptrace is not permitted"
        problems.append(stacks.advice(seen.pid))
    except stacks.NoStacks as error:
        why = str(error)
    return Process(seen.pid, seen.parent, seen.command, seen.state, seen.busy, threads, why)
