"""What was not recorded of a run, and why: from the events that say so, else from the numbers that are missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from xladoctor.model.shapes import count
from xladoctor.recording.dropped import Dropped, dropped
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

_MEGA = 1 << 20
_BOUND = " (set by `--max-size`)"


def gap_notes(recording: Recording) -> Iterator[str]:
    """One sentence a kind of loss."""
    losses = dropped(recording)
    yield from _too_many(losses)
    yield from _events(losses)
    yield from _capsules(recording, losses)
    yield from _missing(recording, losses)


def _too_many(losses: list[Dropped]) -> Iterator[str]:
    most = {loss.recorder: loss.kept for loss in losses if loss.kept is not None}
    more: Counter[str | None] = Counter()
    for loss in losses:
        if loss.reason == schema.DROP_COUNT and loss.count is not None:
            more[loss.recorder] += loss.count
    for recorder, kept in most.items():
        what = "capsules" if recorder == "capsule" else f"events of kind {recorder}"
        rest = f"; {more[recorder]} more were not" if more[recorder] else ""
        yield f"only the first {kept} {what} were kept{rest}"


def _events(losses: list[Dropped]) -> Iterator[str]:
    counts: dict[tuple[int, str], int] = {}
    for loss in losses:
        if loss.recorder != "events" or loss.count is None:
            continue
        mark = loss.pid, loss.reason
        # Of the bound it is told when it is reached, and again, in all, when the process ends.
        before = counts.get(mark, 0)
        counts[mark] = max(before, loss.count) if loss.reason == schema.DROP_SIZE else before + loss.count
    by_reason: Counter[str] = Counter()
    for (_, reason), number in counts.items():
        by_reason[reason] += number
    for reason, number in by_reason.items():
        yield f"{count(number, 'event')} could not be recorded: {_why(reason)}"


def _capsules(recording: Recording, losses: list[Dropped]) -> Iterator[str]:
    for what in ("graph", "values"):
        of_it = [loss for loss in losses if loss.recorder == "capsule" and loss.what == what]
        gone = [
            loss for loss in of_it if not (what == "graph" and loss.capsule and recording.capsule(loss.capsule).known)
        ]
        for reason in dict.fromkeys(loss.reason for loss in gone):
            these = [loss for loss in gone if loss.reason == reason]
            total = sum(loss.size for loss in these)
            mega = f" ({total / _MEGA:.0f} MiB)" if total >= _MEGA else ""
            things = count(len(these), "graph") if what == "graph" else f"the values of {count(len(these), 'call')}"
            yield f"{things}{mega} could not be kept to run again: {_why(reason)}"


def _missing(recording: Recording, losses: list[Dropped]) -> Iterator[str]:
    """Numbers that no event has, where no event accounts for them: the process could not write again."""
    told = {loss.pid for loss in losses if loss.recorder == "events"}
    numbers: dict[int, set[int]] = {}
    for event in recording.events:
        numbers.setdefault(event["pid"], set()).add(event["seq"])
    for pid, present in numbers.items():
        lost = max(present) - min(present) + 1 - len(present)
        if lost > 0 and pid not in told:
            yield f"the run folder lacks {count(lost, 'event')} of process {pid}"


def _why(reason: str) -> str:
    return str(schema.DROP_REASONS.get(reason, reason)) + (_BOUND if reason == schema.DROP_SIZE else "")


def _is_kept(recording: Recording, loss: Dropped) -> bool:
    """Whether the capsule that was once left out is there all the same."""
    return bool(loss.capsule) and recording.capsule(str(loss.capsule)).known
