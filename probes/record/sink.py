"""The events file of this process: one JSON object a line, flushed at once, bounded in size.

A line is written with a single `os.write` on a descriptor opened with O_APPEND, so that a hard abort loses at most the
line being written, and threads do not interleave.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from .. import redaction, schema

# A day-long run must not fill a disk. Each kind has its own share, so that a chatty one cannot starve the others.
MAX_EVENTS_PER_KIND = 20_000
MAX_TEXT = 20_000
# A shape stands five levels deep: frames, frame, tensors, tensor, shape.
_MAX_DEPTH = 7


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
    """Writes events. Thread-safe; re-opens itself in a forked child; silent when the disk fails."""

    def __init__(self, run_dir: Path) -> None:
        self.run_dir = run_dir
        self.started = time.monotonic()
        self._lock = threading.RLock()
        self._seq = 0
        self._counts: Counter[str] = Counter()
        self._fd: int | None = None
        self._pid = os.getpid()
        self._open()

    def _open(self) -> None:
        self._pid = os.getpid()
        path = self.run_dir / f"events-{self._pid}.jsonl"
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def after_fork(self) -> None:
        """A forked child writes a file of its own."""
        self._lock = threading.RLock()
        if self._fd is not None:
            os.close(self._fd)
        self._seq = 0
        self._counts.clear()
        self._open()

    def now(self) -> float:
        """Seconds since the recorder started."""
        return time.monotonic() - self.started

    def write(self, kind: str, **fields: Any) -> int:
        """Write one event and return its sequence number (-1 if it was dropped)."""
        with self._lock:
            self._counts[kind] += 1
            count = self._counts[kind]
            if count > MAX_EVENTS_PER_KIND:
                if count == MAX_EVENTS_PER_KIND + 1:
                    self._put(schema.DROPPED, {"recorder": kind, "kept": MAX_EVENTS_PER_KIND})
                return -1
            return self._put(kind, fields)

    def _put(self, kind: str, fields: dict[str, Any]) -> int:
        self._seq += 1
        event = {"v": schema.VERSION, "seq": self._seq, "t": round(self.now(), 6), "kind": kind}
        for key, value in fields.items():
            # Whatever a recorder writes: a secret that is known by its form, or by a name beside it, stays out.
            event[key] = redaction.of_data(jsonable(value))
        line = json.dumps(event, ensure_ascii=True, separators=(",", ":")) + "\n"
        try:
            if self._fd is not None:
                os.write(self._fd, line.encode("ascii"))
        except OSError:
            self._fd = None
        return self._seq
