"""The target's children, as the kernel lists them: a time-out ends them all."""

from __future__ import annotations

import os
import signal
from contextlib import suppress


class Family:
    """The target and what it started in its process group: by descent, and by the run folder in their environment."""

    def __init__(self, target: int, mark: bytes) -> None:
        self._target, self._mark = target, mark
        self._members: dict[int, str] = {}

    def look(self) -> None:
        """Take note of who is there now: a child whose parent has ended cannot be told from others by descent."""
        parents: dict[int, int] = {}
        births: dict[int, str] = {}
        group = os.getpgrp()
        for name in os.listdir("/proc"):
            if name.isdigit() and (fields := _stat(int(name))) and int(fields[2]) == group:
                parents[int(name)], births[int(name)] = int(fields[1]), fields[19]
        for pid, birth in births.items():
            if pid != os.getpid() and (self._descends(pid, parents) or self._has_mark(pid)):
                self._members[pid] = birth

    def kill(self) -> None:
        """End all of them, and what they start meanwhile."""
        for _ in range(5):
            self.look()
            alive = [pid for pid, birth in self._members.items() if (fields := _stat(pid)) and fields[19] == birth]
            for pid in alive:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not alive:
                break

    def _descends(self, pid: int, parents: dict[int, int]) -> bool:
        while pid > 1:
            if pid == self._target or pid in self._members:
                return True
            pid = parents.get(pid, 0)
        return False

    def _has_mark(self, pid: int) -> bool:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return self._mark in file.read()
        except OSError:
            return False


def parent(pid: int) -> int:
    """The parent of a process; 0 where it is gone."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name: state, parent, group, ...; none where the process has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            text = file.read()
    except OSError:
        return []
    fields = text[text.rindex(b")") + 2 :].decode("ascii", "replace").split()
    return [] if fields[0] == "Z" else fields
