"""What the recorder looked at in a run that ended well, besides what a worker was asked: values that graphs keep,
callbacks that wait for a metric, the order and the cuts of the data that Keras was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xladoctor.diagnosis.weigh import ended_itself, survived
from xladoctor.model.diagnosis import Check, Checked, Finding
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema

_KEPT = "baked-in-setting"


def looked_at(recording: Recording, findings: Sequence[Finding]) -> tuple[Check, ...]:
    """One check for each function, and for each Keras call; several of one name and line are one. `findings` say what
    of it is wrong.
    """
    if not (survived(recording) or ended_itself(recording)):
        return ()
    return (*_kept(recording, findings), *_calls(recording))


def _kept(recording: Recording, findings: Sequence[Finding]) -> Iterator[Check]:
    wrong = _stale(recording, findings)
    calls: dict[str, int] = {}
    for event in recording.of_kind(schema.END):
        for name, (_, compared) in (event.get("compared") or {}).items():
            calls[name] = calls.get(name, 0) + compared
    for name, compared in calls.items():
        yield Check("kept-values", name, compared, "diverges" if name in wrong else "agrees")


def _stale(recording: Recording, findings: Sequence[Finding]) -> set[str]:
    """The functions of which a finding says that they keep a value: by the traced function around the line."""
    told = {(str(f.details.get("function")), str(f.details.get("setting"))) for f in findings if f.slug == _KEPT}
    names = {str(t.get("capsule")): str(t.get("python_name")) for t in recording.of_kind(schema.TRACE)}
    found = {function for function, _ in told}
    for event in recording.of_kind(schema.KEPT):
        setting = str(event["path"][-1][1]) if event["path"] else ""
        if any((str(r["function"]), setting) in told for r in event.get("readers") or ()):
            found.add(names.get(str(event.get("capsule")), ""))
    return found


def _calls(recording: Recording) -> Iterator[Check]:
    idle = _lines(recording.of_kind(schema.MONITOR), "where")
    odd = _lines([*recording.of_kind(schema.SPLIT), *recording.of_kind(schema.DATASET)], "used")
    begun = {(e["pid"], e["call"]): e for e in recording.of_kind(schema.CALL) if e["phase"] == "begin"}
    found: dict[tuple[str, str, str], Check] = {}
    for event in recording.of_kind(schema.CALL):
        if event["phase"] != "end":
            continue
        at = location((begun.get((event["pid"], event["call"])) or event).get("where"))
        name = f"{event['method']} of {event.get('model')}"
        for what, wrong, there in (
            ("callbacks", idle, bool(event.get("monitors"))),
            ("batches", odd, bool(event.get("batches_seen"))),
        ):
            result: Checked = "diverges" if str(at) in wrong else "agrees"
            if there:
                known = found.get((what, name, str(at)))
                calls = 1 if known is None else known.calls + 1
                found[what, name, str(at)] = Check(what, name, calls, result, location=at)  # type: ignore[arg-type]
    yield from found.values()


def _lines(events: Iterable[Event], key: str) -> set[str]:
    return {str(location(e.get(key))) for e in events if e.get("what") != "empty"}
