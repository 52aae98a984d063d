"""Standard descriptors that the caller closed (`>&-`): held by /dev/null, so that no file of ours takes their place."""

from __future__ import annotations

import contextlib
import os
import sys

CLOSED: set[int] = set()
"""Those that were closed when the program started."""


def fill() -> None:
    """Open /dev/null in the place of each closed one, and give Python its streams."""
    for number in (0, 1, 2):
        if not _is_open(number):
            CLOSED.add(number)
            # The lowest number that is free is this one.
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def to_the_end(number: int) -> None:
    """Let what is written next stand behind all that a regular file holds: the target may have opened it anew."""
    with contextlib.suppress(OSError):  # no file
        os.lseek(number, 0, os.SEEK_END)


def drop_stdout() -> None:
    """Let standard output go nowhere: its reader went away. The interpreter flushes once more when it ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        pass
