"""A log in the run folder: the head and the tail of an output, within a bound, with one marked gap between them.

Nothing that goes wrong here reaches the target: the log ends, and says why.
"""

from __future__ import annotations

import os
from contextlib import suppress

# How far a cut may move to fall between two lines.
_LINE = 1 << 16
# Kept in memory when the disk is full: an output's end says most, and there may be room for it later.
_LAST = 1 << 16
_CHUNK = 1 << 20


class LogFile:
    """Keeps the first quarter of `share` bytes in the log itself, and what follows in two files that take turns.

    `finish` joins them. The disk never holds more than `share` bytes of it.

    Attributes:
        name: the file's name in the run folder.
        size: how many bytes the target wrote.
        kept: how many of them are in the log; known once it is finished.
        lost: why the log ended early, or None.
    """

    def __init__(self, folder: str, name: str, share: int) -> None:
        self.name, self.size, self.kept = name, 0, 0
        self.lost: str | None = None
        self.part = max(1, share // 4)
        self._folder = folder
        self._head: _File | None = None
        self._tails: list[_File] = []
        self._dropped = self._count = 0
        self._last = b""
        try:
            self._head = _File(f"{folder}/{name}")
        except OSError as error:
            self._stop(error)

    def write(self, data: bytes) -> None:
        """Take what the target wrote."""
        self.size += len(data)
        if self.lost is None and self._head is not None:
            try:
                if not self._tails and not self._dropped:
                    data = self._head.fill(data, self.part)
                while data:
                    data = self._tail().fill(data, self.part)
                return
            except OSError as error:
                self._stop(error)
        self._last = (self._last + data[-_LAST:])[-_LAST:]

    def leave_out(self, size: int) -> None:
        """Take note of bytes that the target wrote and that are not to be in the log."""
        self.size += size
        self._dropped += size

    def finish(self) -> None:
        """Join head and tail, and put the log back if the run folder was removed meanwhile."""
        head, self._head = self._head, None
        if head is None:
            return
        self.kept = head.stored()
        try:
            self._join(head)
            if os.fstat(head.descriptor).st_nlink == 0:
                head = self._restored(head)
        except OSError as error:
            self._stop(error)
        for tail in self._tails:
            tail.remove()
        head.close()

    def remove(self) -> None:
        """Take the log away."""
        if self._head is not None:
            self._head.remove()
            self._head = None

    def _tail(self) -> _File:
        if not self._tails or self._tails[-1].size >= self.part:
            for tail in self._tails[:-1]:
                self._dropped += tail.size
                tail.remove()
            del self._tails[:-1]
            self._count += 1
            self._tails.append(_File(f"{self._folder}/{self.name}.tail-{self._count}"))
        return self._tails[-1]

    def _join(self, head: _File) -> None:
        stored = sum(tail.stored() for tail in self._tails)
        # Bytes that were neither written nor kept in memory when the disk was full.
        missing = self.size - self.kept - self._dropped - stored - len(self._last)
        skip = _next_line(self._tails[0].descriptor) if self._dropped and self._tails else 0
        if self._dropped + skip:
            head.write(_marker(self._dropped + skip))
        while self._tails:
            at = skip
            while data := os.pread(self._tails[0].descriptor, _CHUNK, at):
                head.write(data)
                at += len(data)
                self.kept += len(data)
            self._tails.pop(0).remove()
            skip = 0
        while self._last and not self._append_last(head, missing):
            # There may be room for a part of it.
            cut = len(self._last) // 2 if len(self._last) > 1024 else len(self._last)
            self._last = self._last[cut:]
            missing += cut

    def _append_last(self, head: _File, missing: int) -> bool:
        before = head.stored()
        try:
            head.write((_marker(missing) if missing > 0 else b"") + self._last)
        except OSError:
            os.ftruncate(head.descriptor, before)
            return False
        self.kept += len(self._last)
        return True

    def _restored(self, head: _File) -> _File:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        copy = _File(f"{self._folder}/{self.name}")
        at = 0
        while data := os.pread(head.descriptor, _CHUNK, at):
            copy.write(data)
            at += len(data)
        head.close()
        return copy

    def _stop(self, error: OSError) -> None:
        self.lost = self.lost or error.strerror or str(error)


class _File:
    """A file of its own, never one that is there already."""

    def __init__(self, path: str) -> None:
        self.path, self.size = path, 0
        self.descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)

    def fill(self, data: bytes, bound: int) -> bytes:
        """Write what fits below `bound` bytes; return the rest."""
        room = max(0, bound - self.size)
        if room:
            self.write(data[:room])
        return data[room:]

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            count = os.write(self.descriptor, view)
            self.size += count
            view = view[count:]

    def stored(self) -> int:
        return os.fstat(self.descriptor).st_size

    def close(self) -> None:
        with suppress(OSError):
            os.close(self.descriptor)

    def remove(self) -> None:
        self.close()
        with suppress(OSError):
            os.unlink(self.path)


def copy_region(source: int, start: int, end: int, log: LogFile) -> None:
    """Log what a file holds from `start` to `end`. What the bound would drop is not even read."""
    head_end = start + log.part
    tail_start = max(head_end, end - 2 * log.part)
    _copy(source, start, min(head_end, end), log)
    if tail_start > head_end:
        tail_start += _next_line(source, tail_start)
        log.leave_out(tail_start - head_end)
    _copy(source, tail_start, end, log)


def _copy(source: int, start: int, end: int, log: LogFile) -> None:
    while start < end and (data := os.pread(source, min(_CHUNK, end - start), start)):
        log.write(data)
        start += len(data)


def _next_line(descriptor: int, at: int = 0) -> int:
    """How far it is to the beginning of a line; 0 where none is near."""
    return os.pread(descriptor, _LINE, at).find(b"\n") + 1


def _marker(dropped: int) -> bytes:
    return b"\n[xladoctor: %d bytes of output are left out here]\n" % dropped
