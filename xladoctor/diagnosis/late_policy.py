"""A dtype policy or float type of Keras that was set when the layers that the program uses had been made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from xladoctor.diagnosis.basis import NOT_TESTED
from xladoctor.diagnosis.setting_finding import event_of, finding, told
from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Finding, Proof, Remedy
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import OUTSIDE

_NAMES = {"dtype_policy": "Keras' dtype policy", "floatx": "Keras' float type"}


@dataclass(frozen=True)
class Late:
    """A write, and the events of models whose layers do not use it: calls that came after it, or how they were
    built before it.
    """

    written: Event
    models: tuple[Event, ...]
    used: frozenset[str]


def policies_too_late(recording: Recording) -> Iterator[Finding]:
    """A warning for the last value of each, where models ran afterwards and none of their layers uses it."""
    for written, before in _last_writes(recording):
        calls = [e for e in _since(recording, schema.CALL, written) if e["phase"] == "begin"]
        # Of a model that the program calls itself there is no event: but no layer has taken the policy.
        built = [e for e in _builds(recording, written["pid"]) if e["seq"] < written["seq"]]
        idle = (
            built
            if not calls and survived(recording) and written["key"] == "dtype_policy" and not _taken(recording, written)
            else []
        )
        late = _late(recording, written, before, calls or idle)
        if late is not None:
            yield _finding(late)


def policy_missed(recording: Recording, findings: Sequence[Finding]) -> Iterator[Finding]:
    """The same as the likely cause of an error of the program's own, raised before any model ran."""
    errors = [f for f in findings if f.level == "error"]
    if not ended_itself(recording) or any(f.slug not in OUTSIDE for f in errors):
        return
    for written, before in _last_writes(recording):
        if any(e["pid"] == written["pid"] for e in recording.of_kind(schema.CALL)):
            continue
        built = [e for e in _builds(recording, written["pid"]) if e["seq"] < written["seq"]]
        late = _late(recording, written, before, built)
        if late is not None:
            found = _finding(late)
            said = f"{found.message} The program then ended with an error of its own, which is likely about that."
            yield replace(found, level="error", message=said, status="untested", basis=NOT_TESTED)


def _last_writes(recording: Recording) -> Iterator[tuple[Event, set[str]]]:
    """The last write of each, with the values that the program had set before: layers may have been made with those."""
    writes: dict[tuple[int, str], list[Event]] = {}
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "keras" and event["action"] == "write" and event["key"] in _NAMES:
            writes.setdefault((event["pid"], event["key"]), []).append(event)
    for (pid, key), events in writes.items():
        # Whoever sets both means the policy.
        if not (key == "floatx" and (pid, "dtype_policy") in writes):
            yield events[-1], {str(e["value"]) for e in events[:-1]}


def _taken(recording: Recording, written: Event) -> bool:
    """Whether a layer was made after a write, or may have been."""
    return not written.get("waits") or bool(_since(recording, schema.POLICY_TAKEN, written))


def _since(recording: Recording, kind: str, written: Event) -> list[Event]:
    return [e for e in recording.of_kind(kind) if e["pid"] == written["pid"] and e["seq"] > written["seq"]]


def _builds(recording: Recording, pid: int) -> list[Event]:
    """Where models were made by the program, and not by their first call."""
    return [
        e for e in recording.of_kind(schema.MODEL)
        if e["pid"] == pid and e["action"] == "build" and not e.get("by_call")
    ]  # fmt: skip


def _late(recording: Recording, written: Event, before: set[str], models: list[Event]) -> Late | None:
    used = {name for model in models for name in model.get("policies") or ()}
    # A model that is made afterwards has layers that were made for it, whatever they were told of their types.
    made = any(e["seq"] > written["seq"] for e in _builds(recording, written["pid"]))
    if not used or used & {str(written["value"]), *before} or made or not all(m.get("policies") for m in models):
        return None
    return Late(written, tuple(models), frozenset(used))


def _finding(late: Late) -> Finding:
    what, used = _NAMES[late.written["key"]], ", ".join(sorted(late.used))
    models = ", ".join(sorted({f"`{m.get('model') or m.get('name')}`" for m in late.models}))
    found = finding(
        "setting-too-late",
        f"{what} was set after the layers had been made",
        f"{what} was set to {late.written['value']!r} after the layers of {models} had been made. A layer keeps "
        f"the policy of the moment when it is made. These layers use {used}, and the new value has no effect on them.",
        late.written,
        [told(late.written, "written"), Proof("event", f"policies of the layers: {used}", event_of(late.models[0]))],
        details={"setting": late.written["key"], "used": sorted(late.used)},
    )
    above = Remedy(
        "set-before-layers", f"Set {what} before the first layer is made", "changes-numerics",
        f"Move the line above the lines that make {models}, also above the import of a module that makes layers.",
    )  # fmt: skip
    return replace(found, remedies=(above,))
