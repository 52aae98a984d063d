"""The events file of this process: one JSON object a line, written at once, bounded in size.

A batch of lines is written by path with a single `os.write` on a descriptor opened with O_APPEND for that moment
(`disk`). A hard abort loses nothing that was written before it. A batch is one line, unless the disk is slow (a shared
file system, say): then events that only accompany others wait for the next that does not.

What cannot be written waits in memory, and is counted once that is full: an event says so when there is room again.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from .. import redaction, schema
from .budget import Budget, limit_of
from .disk import Folder, NotWritten, append, create, join, reason_of
from .process import descriptors, identity, last_number, starts_with

# A day-long run must not fill a disk. Each kind has its own share, so that a chatty one cannot starve the others.
MAX_EVENTS_PER_KIND = 20_000
MAX_TEXT = 20_000
# A shape stands five levels deep: frames, frame, tensors, tensor, shape.
_MAX_DEPTH = 7

# The target may replace these (a frozen clock, say), or patch them for threads of another kind.
_monotonic, _RLock, _getpid = time.monotonic, threading.RLock, os.getpid
_encode = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode

# The last room is for these.
_URGENT = frozenset({schema.START, schema.FAILURE, schema.DROPPED, schema.END})
# On a slow disk these wait for another: what they tell matters together with what comes next.
_CAN_WAIT = frozenset(
    {schema.SETTING, schema.PLACE, schema.GRAPH, schema.IMPORT, schema.PLACE_FOUND, schema.PLACE_MISSING}
)
_SLOW_SECONDS = 0.002
_SLOW_TIMES = 4
_WAIT_SECONDS = 0.25
_WAIT_BYTES = 64 << 10
# A disk that failed is not tried again at every event.
_RETRY_SECONDS = 0.1
# What is kept in memory while nothing can be written.
_BACKLOG_BYTES = 1 << 20
# How often a refused portion is asked for again.
_ASK_AGAIN = 256


def jsonable(value: Any, depth: int = 0) -> Any:
    """`value` as something JSON can hold: scalars as they are, containers cut, all else by type and bounded repr."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, (int, float)) and type(value) in (int, float):
        return value if value == value and abs(value) != float("inf") else repr(value)
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[:MAX_TEXT] + "…"
    if depth < _MAX_DEPTH and isinstance(value, (list, tuple)):
        return [jsonable(v, depth + 1) for v in list(value)[:200]]
    if depth < _MAX_DEPTH and isinstance(value, dict):
        return {str(k): jsonable(v, depth + 1) for k, v in list(value.items())[:200]}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "shape", None) == ():
        try:
            return jsonable(item(), depth + 1)
        except Exception:
            return f"<{type(value).__name__}>"
    return f"<{type(value).__name__}>"


class Sink:
    """Writes events. Thread-safe; a forked child writes a file of its own; silent when the disk fails."""

    def __init__(self, run_dir: Path, max_size: int | None = None) -> None:
        self.folder = Folder(run_dir)
        self.run_dir = Path(self.folder.path)
        self.budget = Budget(
            self.folder.path, limit_of(os.environ.get(schema.ENV_MAX_SIZE)) if max_size is None else max_size
        )
        self.started = _monotonic()
        self._forking = False
        self._reset()

    def _reset(self) -> None:
        self._lock = _RLock()
        self._seq = 0
        self._counts: Counter[str] = Counter()
        self._key: str | None = None
        self._path = ""
        self._waiting: list[tuple[str, bytes]] = []
        self._waits = 0
        self._granted = 0
        self._refused = 0
        self._slow = 0
        self._flushed = self._failed = 0.0
        self._lost: Counter[str] = Counter()
        self._lost_since = 0.0
        self._reason = "write-failed"

    # -- forks ------------------------------------------------------------------------------------------------------

    def before_fork(self) -> None:
        """No thread is in the middle of a write when the process is copied."""
        self._forking = self._lock.acquire(timeout=1.0)
        if self._forking:
            self._flush()

    def after_fork_in_parent(self) -> None:
        """Let the others go on."""
        forking, self._forking = self._forking, False
        if forking:
            self._lock.release()

    def after_fork(self) -> None:
        """A forked child writes a file of its own, once it has something to write."""
        self._forking = False
        self._reset()

    # -- writing ----------------------------------------------------------------------------------------------------

    @property
    def key(self) -> str:
        """The number that tells this process from all others that write into the folder: its pid, if that is free.

        Raises OSError and NotWritten.
        """
        with self._lock:
            if self._key is None:
                self._make_file()
            assert self._key is not None
            return self._key

    def now(self) -> float:
        """Seconds since the recorder started."""
        return _monotonic() - self.started

    def write(self, kind: str, **fields: Any) -> int:
        """Write one event and return its sequence number (-1 if it was dropped)."""
        with self._lock:
            self._counts[kind] += 1
            count = self._counts[kind]
            if count > MAX_EVENTS_PER_KIND:
                if count == MAX_EVENTS_PER_KIND + 1:
                    facts = {"recorder": kind, "reason": schema.DROP_COUNT, "kept": MAX_EVENTS_PER_KIND}
                    self._put(schema.DROPPED, facts)
                return -1
            return self._put(kind, fields)

    def finish(self) -> None:
        """The process ends: write what waits, and how much was not written."""
        with self._lock:
            for kind, count in self._counts.items():
                if count > MAX_EVENTS_PER_KIND:
                    facts = {"recorder": kind, "reason": schema.DROP_COUNT, "count": count - MAX_EVENTS_PER_KIND}
                    self._put(schema.DROPPED, facts)
            self._tell_losses()
            self._flush()
            if self._waiting and self._reason == "no-descriptors":
                with descriptors():
                    self._flush()
            if self._waiting:  # there is hardly any room: better to say so than to fill it
                for kind, line in self._waiting:
                    if kind not in _URGENT:
                        self._lost[kind] += 1
                        self._waits -= len(line)
                self._waiting = [waits for waits in self._waiting if waits[0] in _URGENT]
                self._tell_losses()

    def _put(self, kind: str, fields: dict[str, Any]) -> int:
        if self._key is None:  # a file that is there already says with which number to go on
            with suppress(OSError, NotWritten):
                self._make_file()
        self._seq += 1
        event = {"v": schema.VERSION, "seq": self._seq, "t": round(self.now(), 6), "kind": kind}
        for key, value in fields.items():
            # Whatever a recorder writes: a secret that is known by its form, or by a name beside it, stays out.
            event[key] = redaction.of_data(jsonable(value))
        line = (_encode(event) + "\n").encode("ascii")
        if not self._has_room(len(line), kind in _URGENT):
            self._lose(kind, schema.DROP_SIZE)
            return self._seq
        self._waiting.append((kind, line))
        self._waits += len(line)
        if self._failed and kind not in _URGENT and _monotonic() - self._failed < _RETRY_SECONDS:
            self._cut_backlog()
        elif not self._may_wait(kind):
            self._flush()
        return self._seq

    def _may_wait(self, kind: str) -> bool:
        return (
            self._slow >= _SLOW_TIMES
            and kind in _CAN_WAIT
            and self._waits < _WAIT_BYTES
            and _monotonic() - self._flushed < _WAIT_SECONDS
        )

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, []
        while waiting:
            count = size = 0
            while count < len(waiting) and (not count or size + len(waiting[count][1]) <= _WAIT_BYTES):
                size += len(waiting[count][1])
                count += 1
            try:
                if self._key is None:
                    self._make_file()
                begin = _monotonic()
                append(self._path, b"".join(line for _, line in waiting[:count]))
            except (OSError, NotWritten) as error:
                self._reason = error.reason if isinstance(error, NotWritten) else reason_of(error)
                self._waiting = waiting
                self._failed = _monotonic()
                self._cut_backlog()
                return
            self._waits -= size
            self._time(begin)
            waiting = waiting[count:]
        if self._lost and self._reason != schema.DROP_SIZE:
            self._tell_losses()

    def _time(self, begin: float) -> None:
        self._failed = 0.0
        self._flushed = _monotonic()
        slow = self._flushed - begin > _SLOW_SECONDS
        self._slow = min(self._slow + 1, 4 * _SLOW_TIMES) if slow else max(0, self._slow - 1)

    def _cut_backlog(self) -> None:
        """Nothing can be written: keep what came first, and of what comes later what is urgent."""
        kind, line = self._waiting[-1]
        if self._waits > (2 if kind in _URGENT else 1) * _BACKLOG_BYTES:
            self._waiting.pop()
            self._waits -= len(line)
            self._lose(kind, self._reason)

    # -- the bound, and what is lost --------------------------------------------------------------------------------

    def _has_room(self, size: int, urgent: bool) -> bool:
        if size <= self._granted:
            self._granted -= size
            return True
        if self._refused and not urgent and self._refused % _ASK_AGAIN:
            self._refused += 1
            return False
        portion = self.budget.portion()
        if size <= portion:
            self._refused = 0
            self._granted = portion - size
            return True
        self._refused += 1
        return urgent and size <= self.budget.portion(urgent)

    def _lose(self, kind: str, reason: str) -> None:
        if not self._lost:
            self._lost_since = self.now()
        self._lost[kind] += 1
        if reason == schema.DROP_SIZE and kind != schema.DROPPED and sum(self._lost.values()) == 1:
            self._reason = reason
            self._tell_losses(keep=True)

    def _tell_losses(self, keep: bool = False) -> None:
        """Write how many events were lost, and why."""
        lost = dict(self._lost)
        if not lost:
            return
        if not keep:
            self._lost.clear()
        facts = {"count": sum(lost.values()), "kinds": lost, "since": self._lost_since, "until": self.now()}
        self._put(schema.DROPPED, {"recorder": "events", "reason": self._reason, **facts})

    # -- the file ---------------------------------------------------------------------------------------------------

    def _make_file(self) -> None:
        """Take a name that no other process has taken: several machines, or containers, may share the folder.

        A process that has started another program in its own place (`exec`) goes on with the file that it has.
        """
        self.folder.check()
        pid = _getpid()
        for number in range(1000):
            key = f"{pid}{number:04d}" if number else str(pid)
            path = join(self.folder.path, f"events-{key}.jsonl")
            try:
                create(path)
            except FileExistsError:
                if not starts_with(path, identity()):
                    continue
                self._seq += last_number(path)
            self._key, self._path = key, path
            self.folder.proof = path
            return
        raise NotWritten("write-failed", "no name is left for the events file")
