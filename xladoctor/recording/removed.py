"""Capsules that the recorder had to remove again: events that name one must not lead anybody to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xladoctor.recording.schema import schema


def without_removed(events: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The events, in which `capsule` is None where that capsule was removed and not written once more."""
    gone: set[str] = set()
    for event in events:
        name = event.get("capsule")
        if not isinstance(name, str) or event.get("kind") not in (schema.DROPPED, schema.CAPSULE):
            continue
        if event.get("what") == "graph":
            (gone.add if event["kind"] == schema.DROPPED else gone.discard)(name)
    return tuple(
        {**e, "capsule": None} if e.get("capsule") in gone and e.get("kind") != schema.DROPPED else e for e in events
    )
