"""The settings timeline: writes and deciding reads, between the milestones that make them early or late."""

from __future__ import annotations

from xladoctor.model.diagnosis import SettingEvent
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

# Shown even when nobody touched them: that they were unset is an answer.
ALWAYS = ("TF_XLA_FLAGS", "XLA_FLAGS", "USE_XLA_TRANSLATE", "USE_XLA_COMPILE")


def settings(recording: Recording) -> tuple[SettingEvent, ...]:
    """Every recorded setting event and milestone of the run, in order of time."""
    found: list[SettingEvent] = []
    for start in recording.of_kind(schema.START):
        environment = start.get("environment", {})
        found.extend(
            SettingEvent(0.0, "env", key, "start", environment.get(key), pid=start["pid"])
            for key in dict.fromkeys((*ALWAYS, *environment))
        )
    bulk = {(e["pid"], e.get("site")) for e in recording.of_kind(schema.SETTING) if e["action"] == "bulk"}
    for event in recording.events:
        milestone = _milestone(event)
        if milestone is not None:
            found.append(
                SettingEvent(event["t"], "milestone", milestone, "happened", None, location(event.get("where")),
                             event.get("note"), event["pid"])
            )  # fmt: skip
        elif event["kind"] == schema.SETTING and event["action"] != "bulk" and not _in_bulk(event, bulk):
            found.append(
                SettingEvent(event["t"], event["store"], event["key"], event["action"], event["value"],
                             location(event.get("where")), event.get("note"), event["pid"])
            )  # fmt: skip
    order: dict[int | None, int] = {pid: at for at, pid in enumerate(recording.pids)}
    return tuple(sorted(found, key=lambda s: (order.get(s.pid, 0), s.t)))


# What made TensorFlow look at its flags, which is not always an operation.
_READ_BY = {"devices": "devices listed", "session": "first session", "operation": "first operation"}


def _in_bulk(event: Event, bulk: set[tuple[int, int | None]]) -> bool:
    """True for a read by a loop over all settings: it decides nothing."""
    return event["action"] == "read" and event.get("site") is not None and (event["pid"], event["site"]) in bulk


def _milestone(event: Event) -> str | None:
    kind = event["kind"]
    if kind == schema.IMPORT:
        return f"import {event['module']} {event.get('version') or ''}".rstrip()
    if kind == schema.FIRST_OP:
        return f"{_READ_BY.get(str(event.get('by')), 'first operation')}: TensorFlow has read TF_XLA_FLAGS"
    if kind == schema.MODEL:
        return f"model {event.get('name')}: {event['action']}"
    if kind == schema.TRACE and event.get("parent") is None and not _internal(event):
        return f"trace of {event.get('python_name')}"
    if kind == schema.CALL:
        words = {"begin": "begins", "end": "ends", "failed": "fails"}
        return f"{event['method']} {words.get(event['phase'], event['phase'])}"
    return None


def _internal(event: Event) -> bool:
    return str(event.get("python_name", "")).startswith(("Dataset_", "initialize_variables"))
