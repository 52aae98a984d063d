"""Processes as the kernel lists them in /proc: a process with all that it started, and what they are doing."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from xladoctor import secrets
from xladoctor.errors import XladoctorError
from xladoctor.recording.schema import schema

_STATES = {
    "R": "running",
    "S": "waiting",
    "D": "waiting for a disk or a device",
    "T": "stopped",
    "t": "stopped by a debugger",
    "I": "idle",
}
_MOST = 200
_PAUSE = 0.3
"""Seconds between two looks at the time that processes used."""


@dataclass(frozen=True)
class Seen:
    """One process: its command without secrets, its state in words, and how busy it was."""

    pid: int
    parent: int
    command: tuple[str, ...]
    state: str
    busy: float


@dataclass(frozen=True)
class _Stat:
    parent: int
    state: str
    ticks: int
    birth: int


def family(pid: int) -> list[Seen]:
    """A process and its descendants, parents before children.

    Raises:
        XladoctorError: there is no such process.
    """
    before = _all()
    if pid not in before:
        raise XladoctorError(f"there is no process {pid}", hint="ps -u $USER -o pid,etime,cmd lists yours.")
    begin = time.monotonic()
    time.sleep(_PAUSE)
    seconds = time.monotonic() - begin
    members = [pid]
    for one in members:
        members += sorted(child for child, stat in before.items() if stat.parent == one)
    after = {one: stat for one in members[:_MOST] if (stat := _stat(one)) is not None}
    tick = os.sysconf("SC_CLK_TCK")
    return [
        Seen(
            one,
            stat.parent,
            tuple(secrets.of_words(_command(one))),
            _STATES.get(stat.state, stat.state),
            round((stat.ticks - before[one].ticks) / tick / seconds, 1),
        )
        for one, stat in after.items()
        if stat.birth == before[one].birth and stat.state != "Z"
    ]


def run_folder(pids: list[int]) -> Path | None:
    """The run folder that the recorder of one of the processes writes into, as its environment names it."""
    name = f"{schema.ENV_RUN_DIR}=".encode()
    for pid in pids:
        try:
            environment = Path(f"/proc/{pid}/environ").read_bytes()
        except OSError:
            continue
        found = next((part for part in environment.split(b"\0") if part.startswith(name)), None)
        if found is not None:
            return Path(os.fsdecode(found.removeprefix(name)))
    return None


def started(pid: int) -> float | None:
    """When a process was started, in seconds since 1970."""
    stat = _stat(pid)
    try:
        lines = Path("/proc/stat").read_text(encoding="ascii").splitlines()
        boot = next(int(line.split()[1]) for line in lines if line.startswith("btime "))
    except (OSError, StopIteration, ValueError):
        return None
    return boot + stat.birth / os.sysconf("SC_CLK_TCK") if stat is not None else None


def _all() -> dict[int, _Stat]:
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return {pid: stat for pid in pids if (stat := _stat(pid)) is not None}


def _stat(pid: int) -> _Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    # The name stands in brackets, and may itself hold blanks and brackets.
    fields = text[text.rindex(b")") + 2 :].decode("ascii", "replace").split()
    return _Stat(int(fields[1]), fields[0], int(fields[11]) + int(fields[12]), int(fields[19]))


def _command(pid: int) -> list[str]:
    try:
        data = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return []
    return [os.fsdecode(word) for word in data.removesuffix(b"\0").split(b"\0")]
