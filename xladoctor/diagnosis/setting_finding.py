"""How a finding about settings is put together: the rule's words, and events as proofs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import NOT_TESTED, RECORDED_ORDER
from xladoctor.model.diagnosis import Basis, Finding, Level, Proof, Remedy
from xladoctor.recording.run import Event, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug


def finding(
    slug: str,
    title: str,
    message: str,
    event: Event,
    evidence: list[Proof],
    *,
    tested: bool = True,
    basis: Basis = RECORDED_ORDER,
    details: dict[str, Any] | None = None,
    remedies: tuple[Remedy, ...] | None = None,
) -> Finding:
    """A warning of one class, at the line of `event`; `tested` is False where only a second run could show it. Its
    remedies are those of the class, if it has none of its own.
    """
    rule = by_slug(slug)
    level: Level = "warning"
    found = Finding(
        code=rule.code,
        slug=slug,
        level=level,
        role="root",
        title=title,
        message=message,
        location=location(event.get("where")),
        evidence=tuple(evidence),
        status="confirmed" if tested else "untested",
        remedies=rule.remedies if remedies is None else remedies,
        basis=basis if tested else NOT_TESTED,
    )
    return replace(found, details=details) if details else found


def told(event: Event, what: str) -> Proof:
    """An event as evidence: when, what, where."""
    where = location(event.get("where"))
    value = "" if event["kind"] != schema.SETTING else f" {event['store']} {event['key']} = {event['value']!r}"
    text = f"t = {event['t']:.2f} s: {what}{value}{f', {where}' if where else ''}"
    return Proof("setting", text, event_of(event))


def traced(event: Event) -> Proof:
    """A trace as evidence."""
    where = location(event.get("where"))
    marked = " with _XlaMustCompile" if event.get("xla") else ""
    text = f"{event.get('python_name')}: traced{marked}{f', {where}' if where else ''}"
    return Proof("event", text, event_of(event))


def event_of(event: Event) -> str:
    """Where an event stands in the run folder."""
    return f"events-{event['pid']}.jsonl:{event['seq']}"
