"""What the recorders could not keep, as they said it: the one reader of their `dropped` events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xladoctor.recording.schema import schema

if TYPE_CHECKING:
    from xladoctor.recording.run import Event, Recording


@dataclass(frozen=True)
class Dropped:
    """One loss.

    Attributes:
        pid: the process that lost it.
        recorder: a kind of event that came too often; "events" for any of them, "capsule" for a capsule.
        reason: a key of `schema.DROP_REASONS`.
        what: of a capsule "graph" or "values".
        kept: how many were kept, where the loss is that there were more.
        count: how many events were lost.
        size: how many bytes a part of a capsule would have taken.
    """

    pid: int
    recorder: str | None
    reason: str
    what: str | None = None
    capsule: str | None = None
    kept: int | None = None
    count: int | None = None
    size: int = 0


def dropped(recording: Recording) -> list[Dropped]:
    """Every loss that the run folder tells of."""
    return [_read(event) for event in recording.of_kind(schema.DROPPED)]


def _read(event: Event) -> Dropped:
    return Dropped(
        pid=event["pid"],
        recorder=event.get("recorder"),
        reason=str(event.get("reason")),
        what=_text(event, "what"),
        capsule=_text(event, "capsule"),
        kept=_whole(event, "kept"),
        count=_whole(event, "count"),
        size=_whole(event, "bytes") or 0,
    )


def _text(event: Event, name: str) -> str | None:
    value = event.get(name)
    return value if isinstance(value, str) else None


def _whole(event: Event, name: str) -> int | None:
    value = event.get(name)
    return value if isinstance(value, int) else None
