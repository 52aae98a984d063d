"""What rehearsals with a switch flipped say: the switch is dead, or what it governs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from xladoctor.diagnosis.basis import REHEARSED
from xladoctor.diagnosis.setting_finding import finding, told
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema


def dead_switches(recording: Recording) -> Iterator[Finding]:
    """A switch with which every step of the run has the same graph in its other position.

    The steps are what Keras' calls ran; in a program without them, all functions that it traced.
    """
    for flip in recording.flips:
        if not _dead(flip):
            continue
        steps = _steps(flip)
        others = [f for f in flip.get("functions") or () if f not in steps and f.get("same") is not True]
        event = _event(recording, flip)
        names = ", ".join(dict.fromkeys(str(f["function"]) for f in steps))
        which = f"the {len(steps)} steps" if len(steps) > 1 else "the step"
        besides = "".join(f" It does govern {f['function']}, {_how(f)}." for f in others)
        yield finding(
            "dead-switch",
            f"{flip['name']} changes nothing" + (f" in {which} of this run" if others else ""),
            f"The command was rehearsed with {flip['name']} = {flip['other']!r} instead of {flip['value']!r}: "
            f"{which} that it traces ({names}) came out the same, op by op.{besides}",
            event or {"kind": "", "where": None},
            [Proof("rehearsal", f"{f['function']}: same graph, {_size(f)}", schema.FLIPS_FILE) for f in steps[:6]]
            + ([told(event, str(event["action"]))] if event else []),
            basis=REHEARSED,
            details={"switch": flip["name"], "value": flip["value"], "other": flip["other"]},
        )


def is_dead(recording: Recording, store: str, key: str) -> bool:
    """Whether a rehearsal has shown it."""
    return any((f["store"], f["key"]) == (store, key) and _dead(f) for f in recording.flips)


def _dead(flip: dict[str, Any]) -> bool:
    """Whether every step that was compared came out the same, and one was."""
    steps = _steps(flip)
    return bool(steps) and all(s.get("same") is True for s in steps)


def flip_notes(recording: Recording) -> tuple[str, ...]:
    """What the other switches govern, and what a rehearsal could not tell."""
    return tuple(note for flip in recording.flips for note in _notes(flip))


def _notes(flip: dict[str, Any]) -> Iterator[str]:
    asked = f"with {flip['name']} = {flip['other']!r} instead of {flip['value']!r}"
    steps = _steps(flip)
    for function in steps:
        if function.get("same") is False:
            before, after = function["compiled"]
            xla = f"; functions marked for XLA in it: {before} before, {after} then" if before != after else ""
            yield f"{asked} the graph of {function['function']} is another one{xla}"
    missing = [str(f.get("function")) for f in steps if f.get("same") is None]
    if missing or not steps:
        why = flip.get("error") or ("" if flip.get("ended") else f"it ended early: {flip.get('why')}")
        what = f"not traced: {', '.join(missing)}" if missing else "nothing to compare"
        yield f"the rehearsal {asked} does not tell all ({what}{f'; {why}' if why else ''})"


def _steps(flip: dict[str, Any]) -> list[dict[str, Any]]:
    functions = [f for f in flip.get("functions") or () if isinstance(f, dict)]
    return [f for f in functions if f.get("step")] or functions


def _how(function: dict[str, Any]) -> str:
    return "which is not traced then" if function.get("same") is None else "whose graph is another one then"


def _size(function: dict[str, Any]) -> str:
    return f"{function['nodes'][0]} nodes, {function['compiled'][0]} functions marked for XLA"


def _event(recording: Recording, flip: dict[str, Any]) -> Event | None:
    """The last write of the switch by the program, else its last read."""
    events = [e for e in recording.of_kind(schema.SETTING) if e["store"] == flip["store"] and e["key"] == flip["key"]]
    writes = [e for e in events if e["action"] == "write"]
    found = writes or events
    return found[-1] if found else None
