"""The settings timeline, before any format: repetitions folded, the telling events kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xladoctor.diagnosis.model import SettingEvent


@dataclass(frozen=True)
class Moment:
    """One event, seen `times` times before anything about its setting changed."""

    event: SettingEvent
    times: int = 1


def folded(events: Sequence[SettingEvent]) -> list[Moment]:
    """Events in order; between two writes of a setting, a repeated event is counted and not repeated."""
    moments: list[Moment] = []
    since_write: dict[tuple[str, str, int | None], dict[str, int]] = {}
    for event in events:
        seen = since_write.setdefault((str(event.store), str(event.key), event.pid), {})
        act = f"{event.action} {event.value!r} {event.location} {event.note}"
        if act in seen:
            index = seen[act]
            moments[index] = Moment(moments[index].event, moments[index].times + 1)
            continue
        if not is_read(event):
            seen.clear()
        seen[act] = len(moments)
        moments.append(Moment(event))
    return moments


def is_read(event: SettingEvent) -> bool:
    """Whether the event looked at a setting without changing it."""
    return str(event.action).startswith("read")
