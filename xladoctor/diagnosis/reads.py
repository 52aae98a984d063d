"""Which recorded reads of a setting decided something, and which graph each belongs to."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema

_UNSET = object()


@dataclass(frozen=True)
class Override:
    """A setting that was given another value and put back by the same function: `begin` and `end` are the writes."""

    begin: Event
    end: Event


@dataclass(frozen=True)
class History:
    """The writes and deciding reads of one setting in one process, in order."""

    pid: int
    store: str
    key: str
    writes: tuple[Event, ...]
    reads: tuple[Event, ...]

    @property
    def name(self) -> str:
        """As the program would say it."""
        return f"{self.store} {self.key}"

    @cached_property
    def overrides(self) -> tuple[Override, ...]:
        """Values that were set and put back within one function."""
        found: list[Override] = []
        before: Any = _UNSET
        pending: tuple[Event, Any] | None = None
        for write in self.writes:
            if pending is not None and write["value"] == pending[1] and function_of(write) == function_of(pending[0]):
                found.append(Override(pending[0], write))
                pending = None
            elif before is not _UNSET and write["value"] != before and function_of(write)[1] not in (None, "<module>"):
                pending = (write, before)
            else:
                pending = None
            before = write["value"]
        return tuple(found)

    def value_at(self, seq: int) -> Event | None:
        """The write (or default) whose value held at an event."""
        at = bisect_left(self.writes, seq, key=_seq)
        return self.writes[at - 1] if at else None

    def restored(self, write: Event) -> Override | None:
        """The override that this write put an end to."""
        return self._ended.get(id(write))

    @cached_property
    def _ended(self) -> dict[int, Override]:
        return {id(o.end): o for o in self.overrides}

    def reads_between(self, first: int, last: int | None) -> tuple[Event, ...]:
        """The reads after one event and before another, or to the end."""
        end = len(self.reads) if last is None else bisect_left(self.reads, last, key=_seq)
        return self.reads[bisect_right(self.reads, first, key=_seq) : end]

    def next_write(self, write: Event) -> int | None:
        """The number of the event that next wrote the setting after `write`, if one did."""
        at = bisect_right(self.writes, write["seq"], key=_seq)
        return _seq(self.writes[at]) if at < len(self.writes) else None


def histories(recording: Recording) -> tuple[History, ...]:
    """The settings of the program and its environment."""
    return recording.once(_histories)


def _seq(event: Event) -> int:
    return int(event["seq"])


def _histories(recording: Recording) -> tuple[History, ...]:
    return tuple(_each_history(recording))


def _each_history(recording: Recording) -> Iterator[History]:
    bulk = {(e["pid"], e.get("site")) for e in recording.of_kind(schema.SETTING) if e["action"] == "bulk"}
    found: dict[tuple[int, str, str], tuple[list[Event], list[Event]]] = {}
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "decision" or event["action"] == "bulk":
            continue
        writes, reads = found.setdefault((event["pid"], event["store"], event["key"]), ([], []))
        if event["action"] != "read":
            writes.append(event)
        elif (event["pid"], event.get("site")) not in bulk or event.get("site") is None:
            reads.append(event)
    for (pid, store, key), (writes, reads) in found.items():
        yield History(pid, store, key, tuple(writes), tuple(reads))


def function_of(event: Event) -> tuple[Any, Any]:
    """(file, name) of the function in which a setting was read or written."""
    where = event.get("where") or {}
    return where.get("file"), where.get("function")
