"""The bytes of a log that is being written, as they come: of a file (also a rotated or truncated one) or a stream."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

PIECE = 1 << 16
POLL = 0.2

Event = bytes | Literal["idle", "waiting", "rotated", "truncated"]
"""New bytes; nothing new for `POLL` seconds; the file is not there; another file has its name; it was cut short."""


def tail_file(path: Path, stop: Callable[[float], bool]) -> Iterator[Event]:
    """All of a file, and then what is written to it, until `stop` says so. `stop` is asked while nothing comes, and
    waits for that many seconds first, or less if it is time.

    Raises:
        OSError: the file is there and cannot be read.
    """
    while not path.exists():
        yield "waiting"
        if stop(POLL):
            return
    stream = path.open("rb", buffering=0)
    try:
        while True:
            if data := stream.read(PIECE):
                yield data
                if stop(0):
                    return
                continue
            change = _change(path, stream.fileno(), stream.tell())
            if change == "truncated":
                stream.seek(0)
                yield change
            elif change == "rotated":
                # What the writer put into the old file until it opened the new one.
                while data := stream.read(PIECE):
                    yield data
                stream.close()
                stream = path.open("rb", buffering=0)
                yield change
            else:
                yield "idle"
                if stop(POLL):
                    return
    finally:
        stream.close()


def _change(path: Path, descriptor: int, at: int) -> Literal["rotated", "truncated"] | None:
    mine = os.fstat(descriptor)
    try:
        there = path.stat()
    except FileNotFoundError:
        # Moved away, and the new one is not there yet.
        return None
    if (there.st_dev, there.st_ino) != (mine.st_dev, mine.st_ino):
        return "rotated"
    return "truncated" if mine.st_size < at else None


def tail_stream(descriptor: int, stop: Callable[[float], bool]) -> Iterator[Event]:
    """What comes through a pipe, until it is closed or `stop` says so."""
    while not stop(0):
        ready, _, _ = select.select([descriptor], [], [], POLL)
        if not ready:
            yield "idle"
            continue
        data = os.read(descriptor, PIECE)
        if not data:
            return
        yield data
