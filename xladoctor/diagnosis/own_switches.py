"""A switch of the program's own that was set after the lines that decide by it had read it.

`BACKEND = os.environ.get("BACKEND", "fast")` reads when its module is imported. What is written to the variable later
is never looked at by a line that compares or tests that name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.diagnosis.own_source import source_of
from xladoctor.diagnosis.reads import History, histories
from xladoctor.diagnosis.setting_finding import finding, told
from xladoctor.model.diagnosis import Finding, Location
from xladoctor.model.flips import Reading
from xladoctor.recording.run import Event, Recording, location
from xladoctor.sources.positions import reading

_MODULE = "<module>"


@dataclass(frozen=True)
class LateSwitch:
    """What is said of one: the file with the lines that decide by it, and where it was set."""

    key: str
    finding: Finding
    file: str
    decides: tuple[int, ...]
    written: Location


def set_too_late(recording: Recording) -> Iterator[Finding]:
    """A finding for each environment variable that only its module's import read, with another decision then."""
    for switch in late_switches(recording):
        yield switch.finding


def late_switches(recording: Recording) -> tuple[LateSwitch, ...]:
    """Each environment variable that only its module's import read, with another decision then."""
    return recording.once(_late_switches)


def _late_switches(recording: Recording) -> tuple[LateSwitch, ...]:
    return tuple(_each_late(recording))


def _each_late(recording: Recording) -> Iterator[LateSwitch]:
    for history in histories(recording):
        if history.store != "env" or not history.reads or not history.writes:
            continue
        if any(h.pid != history.pid and (h.store, h.key) == ("env", history.key) for h in histories(recording)):
            continue  # it may have been set for another process
        found = _late(recording, history)
        if found is not None:
            yield found


def _late(recording: Recording, history: History) -> LateSwitch | None:
    last = max((w for w in history.writes if w["action"] == "write"), key=lambda e: int(e["seq"]), default=None)
    if last is None or history.restored(last) is not None:
        return None
    known = _reading(recording, history)
    if known is None or not known.deferred:
        return None
    deciding = [r for r in history.reads if _line(r) in known.decides]
    if not deciding or any((r.get("where") or {}).get("function") != _MODULE for r in deciding):
        return None
    read = max(deciding, key=lambda e: int(e["seq"]))
    if read["seq"] > last["seq"] or known.decision(read["value"]) == known.decision(str(last["value"])):
        return None
    was = repr(read["value"]) if read["value"] is not None else f"not set, so {known.default!r} counts"
    lines = ", ".join(map(str, known.deferred))
    found = finding(
        "setting-too-late",
        f"{history.key} is set after the program has read it",
        f"{history.key} was read when its module was loaded ({was}) and set to {last['value']!r} later. The code "
        f"that depends on it (line {lines}) uses the value that was read, not the later one.",
        read,
        [told(read, "read"), told(last, "written")],
    )
    file, written = (read.get("where") or {}).get("file"), location(last.get("where"))
    if written is None or found.location is None:
        written = found.location or Location(str(file), None)
    return LateSwitch(history.key, found, str(file), tuple(known.deferred), written)


def _reading(recording: Recording, history: History) -> Reading | None:
    source = source_of(recording, str((history.reads[0].get("where") or {}).get("file")))
    return reading(source, history.key) if source is not None else None


def _line(event: Event) -> int:
    return int((event.get("where") or {}).get("line") or 0)
