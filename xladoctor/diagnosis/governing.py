"""Which switch of the program decided that a function came under XLA: one whose read lies on the way to the decision.

A switch that was read somewhere, and even in the same function, governs nothing where the decision went against it, or
where a rehearsal with the switch in its other position gave the same graphs.
"""

from __future__ import annotations

from typing import Any

from xladoctor.diagnosis.order import is_switch
from xladoctor.diagnosis.reads import histories
from xladoctor.evidence.run import Event, Recording, location
from xladoctor.evidence.schema import schema


def governing(recording: Recording, traces: list[Event]) -> tuple[str, ...]:
    """The switches that were read in the decision which led to a function's first trace, and the line that asked."""
    if not traces:
        return ()
    first = traces[0]
    callers = {(f["file"], f["function"]) for f in first.get("frames", ())}
    settings = [e for e in recording.of_kind(schema.SETTING) if e["seq"] < first["seq"] and e["pid"] == first["pid"]]
    for decision in reversed(settings):
        where = decision.get("where") or {}
        if decision["store"] != "decision" or (where.get("file"), where.get("function")) not in callers:
            continue
        if not decision["value"]:
            return ()  # the last word before the trace was against XLA, and it was traced under XLA all the same
        return _decided(recording, settings, decision)
    return ()


def asked_by(recording: Recording, event: Event) -> tuple[str, ...]:
    """The switches whose value a call that asked for XLA handed on: read in the function that made the call."""
    where = event.get("where") or {}
    shown: dict[str, None] = {}
    for history in histories(recording):
        if history.pid != event["pid"] or not is_switch(history.key):
            continue
        if changes_nothing(recording, history.store, history.key):
            continue
        for read in history.reads:
            place = read.get("where") or {}
            there = (place.get("file"), place.get("function")) == (where.get("file"), where.get("function"))
            if there and read["seq"] < event["seq"] and _handed_on(read["value"], str(event["requested"])):
                shown[_value(read)] = None
    return tuple(shown)[-4:]


def changes_nothing(recording: Recording, store: str, key: str) -> bool:
    """Whether a rehearsal with the switch in its other position traced the same graphs."""
    for flip in recording.flips:
        functions = [f for f in flip.get("functions") or () if isinstance(f, dict)]
        if (flip.get("store"), flip.get("key")) == (store, key) and functions:
            return all(f.get("same") is True for f in functions)
    return False


def _decided(recording: Recording, settings: list[Event], decision: Event) -> tuple[str, ...]:
    """What the function of a decision read for it, where that agrees with what came of it."""
    function = str(decision["key"]).rpartition(":")[2]
    reads: dict[tuple[Any, Any], Event] = {}
    for event in settings:
        reader = str((event.get("where") or {}).get("function", "")).rpartition(".")[2]
        is_read = event["action"] == "read" and event["store"] != "decision" and reader == function
        if is_read and event["seq"] <= decision["seq"]:
            reads[event["store"], event["key"]] = event  # the last read of it before the decision
    agreeing = [e for e in reads.values() if e["value"] is None or _truth(e["value"]) == bool(decision["value"])]
    shown = [_value(e) for e in agreeing if not changes_nothing(recording, e["store"], e["key"])]
    if not any(e["value"] is not None for e in agreeing):
        return ()
    where = location(decision.get("where"))
    at = f", {where.place}" if where is not None else ""
    return (*shown, f"{decision['key']}() = {decision['value']!r}{at}")


def _handed_on(value: Any, requested: str) -> bool:
    """Whether a call can have been given what was read: that very value, or its truth."""
    return repr(value) == requested or (requested in ("True", "False") and _truth(value) is (requested == "True"))


def _truth(value: Any) -> bool:
    """A setting as a switch: the text "0" or "false" of the environment is off."""
    return bool(value) and str(value).strip().lower() not in ("0", "false", "no", "off", "none")


def _value(event: Event) -> str:
    return f"{event['store']} {event['key']} " + ("unset" if event["value"] is None else f"= {event['value']!r}")
