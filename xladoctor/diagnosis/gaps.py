"""What was not recorded of a run, and why: from the events that say so, else from the numbers that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

_MEGA = 1 << 20
_BOUND = " (set by `--max-size`)"


def gap_notes(recording: Recording) -> Iterator[str]:
    """One sentence a kind of loss."""
    dropped = recording.of_kind(schema.DROPPED)
    yield from _too_many(dropped)
    yield from _events(dropped)
    yield from _capsules(recording, dropped)
    yield from _missing(recording, dropped)


def _too_many(dropped: list[dict[str, Any]]) -> Iterator[str]:
    most = {e.get("recorder"): e["kept"] for e in dropped if isinstance(e.get("kept"), int)}
    more: Counter[Any] = Counter()
    for event in dropped:
        if event.get("reason") == schema.DROP_COUNT and isinstance(event.get("count"), int):
            more[event.get("recorder")] += event["count"]
    for recorder, kept in most.items():
        what = "capsules" if recorder == "capsule" else f"events of kind {recorder}"
        rest = f"; {more[recorder]} more were not" if more[recorder] else ""
        yield f"only the first {kept} {what} were kept{rest}"


def _events(dropped: list[dict[str, Any]]) -> Iterator[str]:
    counts: dict[tuple[Any, str], int] = {}
    for event in dropped:
        if event.get("recorder") != "events" or not isinstance(event.get("count"), int):
            continue
        mark = event.get("pid"), str(event.get("reason"))
        # Of the bound it is told when it is reached, and again, in all, when the process ends.
        size = mark[1] == schema.DROP_SIZE
        counts[mark] = max(counts.get(mark, 0), event["count"]) if size else counts.get(mark, 0) + event["count"]
    by_reason: Counter[str] = Counter()
    for (_, reason), count in counts.items():
        by_reason[reason] += count
    for reason, count in by_reason.items():
        yield f"{_number(count, 'event')} could not be recorded: {_why(reason)}"


def _capsules(recording: Recording, dropped: list[dict[str, Any]]) -> Iterator[str]:
    for what in ("graph", "values"):
        events = [e for e in dropped if e.get("recorder") == "capsule" and e.get("what") == what]
        gone = [e for e in events if not (what == "graph" and e.get("capsule") and recording.capsule(e["capsule"]))]
        for reason in dict.fromkeys(str(e.get("reason")) for e in gone):
            these = [e for e in gone if str(e.get("reason")) == reason]
            total = sum(size for e in these if isinstance(size := e.get("bytes"), int))
            mega = f" ({total / _MEGA:.0f} MiB)" if total >= _MEGA else ""
            things = _number(len(these), "graph") if what == "graph" else f"the values of {_number(len(these), 'call')}"
            yield f"{things}{mega} could not be kept for running again: {_why(reason)}"


def _missing(recording: Recording, dropped: list[dict[str, Any]]) -> Iterator[str]:
    """Numbers that no event has, where no event accounts for them: the process could not write again."""
    told = Counter(e["pid"] for e in dropped if e.get("recorder") == "events")
    numbers: dict[int, set[int]] = {}
    for event in recording.events:
        numbers.setdefault(event["pid"], set()).add(event["seq"])
    for pid, present in numbers.items():
        lost = max(present) - min(present) + 1 - len(present)
        if lost > 0 and not told[pid]:
            yield f"the run folder lacks {_number(lost, 'event')} of process {pid}"


def _why(reason: str) -> str:
    return str(schema.DROP_REASONS.get(reason, reason)) + (_BOUND if reason == schema.DROP_SIZE else "")


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
