"""A process for each op, begun again behind a call that ended it or hung; what it finds goes into a journal.

TensorFlow is imported once, before the first fork, and does nothing before it.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import struct
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

CALL_LIMIT = 60.0
"""Seconds for one call. The slowest compilation took five on an idle machine."""
_RESTARTS = 400
_BYTES = 40
_SURROUNDINGS = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "MALLOC_PERTURB_": "90"}
"""The last fills new memory with the byte 0xA5. XLA can take a size from memory that nothing has written: that is a
negative number now, and ends the process each time; else it would do so in one run, and give a shape in another.
"""


def surroundings() -> None:
    """The environment of a measurement; begins the command anew where it is not set, since it is read at the start."""
    if any(os.environ.get(name) != value for name, value in _SURROUNDINGS.items()):
        os.execve(sys.executable, sys.orig_argv, {**os.environ, **_SURROUNDINGS})


class Progress:
    """What a child is about to try, in memory that its parent reads, and what became of the calls before.

    `fatal` maps what ended a process, or hung, to `process-ends` or `hangs`; `rows` are what children of the same name
    have said before.
    """

    def __init__(self) -> None:
        self.fatal: dict[bytes, str] = {}
        self.rows: list[dict[str, Any]] = []
        self._now = mmap.mmap(-1, _BYTES)

    def begin(self) -> None:
        """A child begins: nothing is tried yet."""
        self._now[:] = bytes(32) + struct.pack("d", time.monotonic())

    def trying(self, call: object) -> bool:
        """Notes what is tried next. False where it ended a process before."""
        self._now[:] = digest(call) + struct.pack("d", time.monotonic())
        return digest(call) not in self.fatal

    @property
    def began(self) -> bool:
        """Whether anything was tried."""
        return any(self._now[:32])

    @property
    def since(self) -> float:
        """Seconds since the last call was begun."""
        return time.monotonic() - float(struct.unpack("d", self._now[32:])[0])

    def ended(self, how: str) -> None:
        """The child ended, or was ended, at what it was trying."""
        self.fatal[bytes(self._now[:32])] = how


def digest(call: object) -> bytes:
    """The name of a call."""
    return sha256(repr(call).encode()).digest()


Messages = Callable[[str, Progress], Iterator["dict[str, Any]"]]


def run(names: Sequence[str], messages: Messages, path: Path, jobs: int = 2) -> None:
    """All names that the journal does not have yet, a child each; so many of them at once."""
    finished = {row["name"] for row in _rows(path) if "finished" in row}
    left = [name for name in names if name not in finished]
    out = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    others = [_fork(partial(_run, left[job::jobs], messages, path, out)) for job in range(1, jobs)]
    _run(left[::jobs], messages, path, out)
    os.close(out)
    if any(os.waitpid(pid, 0)[1] for pid in others):
        raise ChildProcessError("a job ended before its ops did: run it again, the journal is resumed")


def _fork(work: Callable[[], None]) -> int:
    """The number of a process that does this."""
    if pid := os.fork():
        return pid
    status = 1
    try:
        work()
        status = 0
    finally:
        os._exit(status)


def _run(names: Sequence[str], messages: Messages, path: Path, out: int) -> None:
    for name in names:
        progress = Progress()
        how = "again and again"
        for _ in range(_RESTARTS):
            progress.rows = [row for row in _rows(path) if row["name"] == name]
            how = _child(name, messages, progress, out)
            if how in ("", "lost"):
                break
        os.write(out, json.dumps({"name": name, "finished": how}).encode() + b"\n")


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []


def _child(name: str, messages: Messages, progress: Progress, out: int) -> str:
    """How a child ended: "" at its end, `process-ends` or `hangs` (then the call is noted), `lost` without any call."""
    progress.begin()
    pid = _fork(lambda: _tell(name, messages, progress, out))
    ended = (0, 0)
    while not ended[0] and progress.since < CALL_LIMIT:
        time.sleep(0.01)
        ended = os.waitpid(pid, os.WNOHANG)
    how = "process-ends"
    if not ended[0]:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        how = "hangs"
    elif not ended[1]:
        return ""
    if not progress.began:
        return "lost"
    progress.ended(how)
    return how


def _tell(name: str, messages: Messages, progress: Progress, out: int) -> None:
    """The child: every message is one line of the journal."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    for row in messages(name, progress):
        os.write(out, json.dumps(row).encode() + b"\n")
