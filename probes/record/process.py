"""What the recorder asks of the process that it is in."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

_open, _read, _close, _stat, _seek = os.open, os.read, os.close, os.stat, os.lseek
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0)
# The identity stands near the beginning of the first event.
_HEAD = 512
_TAIL = 1 << 17
# No text within a JSON string looks like this: its quotation marks would be escaped.
_NUMBER = re.compile(rb'^\{"v":\d+,"seq":(\d+),', re.MULTILINE)


def identity() -> str:
    """What tells this process from others that have, or had, its pid: when it began, and on which machine.

    It stays the same when the process starts another program in its own place. Empty where that cannot be known.
    """
    try:
        began = _content("/proc/self/stat").rpartition(b")")[2].split()[19].decode()
        namespace = _stat("/proc/self/ns/pid").st_ino
        machine = zlib.crc32(_content("/proc/sys/kernel/random/boot_id"))
    except (OSError, IndexError, ValueError):
        return ""
    return f"{began}-{namespace}-{machine}"


def starts_with(path: str, text: str) -> bool:
    """Whether `text` stands in the head of the file."""
    try:
        return bool(text) and f'"{text}"'.encode() in _content(path, _HEAD)
    except OSError:
        return False


def last_number(path: str) -> int:
    """The number of the last event in the file; 0 where it cannot be read."""
    try:
        numbers = _NUMBER.findall(_content(path, _TAIL, from_end=True))
    except OSError:
        return 0
    return int(numbers[-1]) if numbers else 0


def _content(path: str, size: int = 4096, from_end: bool = False) -> bytes:
    fd = _open(path, _FLAGS)
    try:
        if from_end:
            _seek(fd, max(0, _seek(fd, 0, os.SEEK_END) - size), os.SEEK_SET)
        return _read(fd, size)
    finally:
        _close(fd)


@contextmanager
def descriptors(more: int = 8) -> Iterator[None]:
    """Some more descriptors for a moment, where the system allows it: only when the process ends."""
    try:
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft + more, hard) if hard >= 0 else soft + more, hard))
    except (ImportError, OSError, ValueError):
        yield
        return
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
