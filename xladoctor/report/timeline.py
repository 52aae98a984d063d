"""The settings timeline, before any format: repetitions folded, the telling events kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xladoctor.model.diagnosis import SettingEvent


@dataclass(frozen=True)
class Moment:
    """One event, seen `times` times before anything about its setting changed."""

    event: SettingEvent
    times: int = 1


def folded(events: Sequence[SettingEvent]) -> list[Moment]:
    """Events in order; between two writes of a setting, a repeated event is counted and not repeated."""
    moments: list[Moment] = []
    milestones: dict[int | None, tuple[str, str]] = {}
    since_write: dict[tuple[str, str, int | None], dict[str, int]] = {}
    for event in events:
        seen = since_write.setdefault((str(event.store), str(event.key), event.pid), {})
        act = f"{event.action} {event.value!r} {event.location} {event.note}"
        if event.store == "milestone":
            # A milestone is repeated only where no other stands between: the order is what it is there for.
            last = milestones.get(event.pid)
            milestones[event.pid] = (str(event.key), act)
            if last != (str(event.key), act):
                seen.pop(act, None)
        if act in seen:
            index = seen[act]
            moments[index] = Moment(moments[index].event, moments[index].times + 1)
            continue
        if not is_read(event):
            seen.clear()
        seen[act] = len(moments)
        moments.append(Moment(event))
    return moments


def telling(moments: Sequence[Moment], governing: Iterable[str]) -> list[Moment]:
    """Of the moments, those that bear on XLA: its switches, decisions, milestones, and whatever has a note.

    `governing` are texts that name switches; a setting whose key one of them names is such a switch.
    """
    said = " ".join(governing)
    return [m for m in moments if _tells(m.event, said)]


def _tells(event: SettingEvent, governing: str) -> bool:
    key = str(event.key)
    named = re.search(rf"(?<!\w){re.escape(key)}(?!\w)", governing) is not None
    return bool(named or "xla" in key.lower() or event.note or event.store in ("decision", "milestone"))


def words(event: SettingEvent) -> tuple[str, str, str]:
    """Which setting, what was done to it, and its value."""
    if event.store == "milestone":
        return (str(event.key), "", "")
    name = str(event.key) if event.store == "decision" else f"{event.store} {event.key}"
    unset = event.value is None and event.store == "env"
    return (name, str(event.action), "unset" if unset else repr(event.value))


def is_read(event: SettingEvent) -> bool:
    """Whether the event looked at a setting without changing it."""
    return str(event.action).startswith("read")
