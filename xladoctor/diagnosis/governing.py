"""Which switch of the program decided that a function came under XLA: one whose read lies on the way to the decision.

A switch that was read somewhere, and even in the same function, has no effect if the decision went against it, or
where a rehearsal with the switch in its other position gave the same graphs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from xladoctor.diagnosis.order import is_switch
from xladoctor.diagnosis.reads import histories
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

# Of one function's reads of a switch, how many different values are told apart.
_MOST_TEXTS = 64


def governing(recording: Recording, traces: list[Event]) -> tuple[str, ...]:
    """The switches that were read in the decision which led to a function's first trace, and the line that asked."""
    if not traces:
        return ()
    first = traces[0]
    decisions = recording.once(_decisions)
    callers = {(f["file"], f["function"]) for f in first.get("frames", ())}
    last = [_last_before(decisions.get((first["pid"], *caller), ()), first["seq"]) for caller in callers]
    decision = max((d for d in last if d is not None), key=_seq, default=None)
    if decision is None or not decision["value"]:
        # The last word before the trace was against XLA, and it was traced under XLA all the same.
        return ()
    return _decided(recording, decision)


def asked_by(recording: Recording, event: Event) -> tuple[str, ...]:
    """The switches whose value a call that asked for XLA handed on: read in the function that made the call."""
    where = event.get("where") or {}
    switches = recording.once(_switches_read)
    reads = switches.get((event["pid"], where.get("file"), where.get("function")), {})
    requested = str(event["requested"])
    shown = [
        text
        for text, read in reads.items()
        if read["seq"] < event["seq"]
        and _handed_on(read["value"], requested)
        and not changes_nothing(recording, read["store"], read["key"])
    ]
    return tuple(shown)[-4:]


def _decisions(recording: Recording) -> dict[tuple[Any, ...], list[Event]]:
    """What functions decided about XLA, by process and the function that asked, in order."""
    decisions: dict[tuple[Any, ...], list[Event]] = {}
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "decision":
            where = event.get("where") or {}
            decisions.setdefault((event["pid"], where.get("file"), where.get("function")), []).append(event)
    return decisions


def _reads_by_function(recording: Recording) -> dict[tuple[int, str], dict[tuple[str, str], list[Event]]]:
    """{(process, function): {(store, key): what it read there, in order}}."""
    reads: dict[tuple[int, str], dict[tuple[str, str], list[Event]]] = {}
    for event in recording.of_kind(schema.SETTING):
        if event["action"] == "read" and event["store"] != "decision":
            function = str((event.get("where") or {}).get("function", "")).rpartition(".")[2]
            keys = reads.setdefault((event["pid"], function), {})
            keys.setdefault((event["store"], event["key"]), []).append(event)
    return reads


def _switches_read(recording: Recording) -> dict[tuple[Any, ...], dict[str, Event]]:
    """{(process, file, function): {a switch with its value, in words: where it was first read so}}."""
    switches: dict[tuple[Any, ...], dict[str, Event]] = {}
    for history in histories(recording):
        for read in history.reads if is_switch(history.key) else ():
            place = read.get("where") or {}
            shown = switches.setdefault((history.pid, place.get("file"), place.get("function")), {})
            if len(shown) < _MOST_TEXTS:
                shown.setdefault(_value(read), read)
    return switches


def _last_before(events: Sequence[Event], seq: int) -> Event | None:
    at = bisect_left(events, seq, key=_seq)
    return events[at - 1] if at else None


def _seq(event: Event) -> int:
    return int(event["seq"])


def changes_nothing(recording: Recording, store: str, key: str) -> bool:
    """Whether a rehearsal with the switch in its other position traced the same graphs."""
    for flip in recording.flips:
        if (flip.store, flip.key) == (store, key) and flip.functions:
            return all(f.same is True for f in flip.functions)
    return False


def _decided(recording: Recording, decision: Event) -> tuple[str, ...]:
    """What the function of a decision read for it, where that agrees with what came of it."""
    function = str(decision["key"]).rpartition(":")[2]
    known = recording.once(_reads_by_function)
    keys = known.get((decision["pid"], function), {})
    last = [_last_before(reads, decision["seq"] + 1) for reads in keys.values()]
    agreeing = [e for e in last if e and (e["value"] is None or _truth(e["value"]) == bool(decision["value"]))]
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
