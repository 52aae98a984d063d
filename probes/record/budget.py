"""The bound on what the recorders of a run write into its folder, held by all its processes together.

No process waits for another: what is to be written is announced by the name of an empty file before the folder is
added up, so that two processes that want the same room both see it, and at worst both do without. Events, of which each
is small, are granted in portions that the processes of the run share.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .. import schema
from .disk import NotWritten, create, discard, join

_scandir, _now = os.scandir, time.time

DEFAULT = 1 << 30
_RESERVED = ".reserved-"
# Of the bound, what is kept for events: they say what happened; a capsule only helps to run it again.
_EVENTS_SHARE = 4
_EVENTS_MOST = 64 << 20
_PORTION = 256 << 10
_SMALLEST = 1 << 10
_ANNOUNCED_SECONDS = 600.0


def limit_of(text: str | None) -> int:
    """The bound in bytes that the environment gives; the default where it gives none, or nothing that is a number."""
    try:
        return max(0, int(text)) if text else DEFAULT
    except ValueError:
        return DEFAULT


class Budget:
    """What this process may still write into the run folder."""

    def __init__(self, root: str, limit: int) -> None:
        self.root, self.limit = root, limit
        self._for_events = min(_EVENTS_MOST, limit // _EVENTS_SHARE)
        self._reservations = 0

    def used(self) -> tuple[int, int]:
        """(bytes of events and capsules with what is announced, processes that write events)."""
        total = processes = 0
        for entry in _entries(self.root):
            if entry.name.startswith("events-"):
                total += _size(entry)
                processes += 1
        for folder in _entries(join(self.root, "capsules")):
            if folder.name.startswith(_RESERVED):
                total += _announced(folder)
            else:
                total += sum(_size(entry) for entry in _entries(folder.path))
        return total, max(1, processes)

    def portion(self, urgent: bool = False) -> int:
        """How many bytes of events this process may write before it asks again; 0 where there is no room.

        Events without which the rest means little (`urgent`) get the last of it.
        """
        total, processes = self.used()
        room = self.limit - total - (0 if urgent else self._for_events // 4)
        portion = min(_PORTION, room // (2 * processes))
        return portion if portion >= _SMALLEST else 0

    @contextmanager
    def reserved(self, key: str, size: int) -> Iterator[None]:
        """Room for a capsule's file of `size` bytes while it is written. Raises NotWritten where there is none."""
        self._reservations += 1
        mark = join(self.root, "capsules", f"{_RESERVED}{key}-{self._reservations}-{size}")
        create(mark)
        try:
            beyond = self.used()[0] - (self.limit - self._for_events)
            if beyond > 0:
                raise NotWritten(schema.DROP_SIZE, f"{beyond} bytes beyond {self.limit}", missing=beyond)
            yield
        finally:
            discard(mark)


def _entries(path: str) -> list[Any]:
    try:
        with _scandir(path) as found:
            return list(found)
    except OSError:  # not a folder, or gone
        return []


def _size(entry: Any) -> int:
    try:
        return int(entry.stat(follow_symlinks=False).st_size)
    except OSError:  # another process has just removed it
        return 0


def _announced(mark: Any) -> int:
    """What is still to be written: a process that was killed while it wrote keeps no room for good."""
    size = mark.name.rpartition("-")[2]
    try:
        recent = _now() - mark.stat(follow_symlinks=False).st_mtime < _ANNOUNCED_SECONDS
    except OSError:  # written by now
        return 0
    return int(size) if size.isdigit() and recent else 0
