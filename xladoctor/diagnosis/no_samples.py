"""Data without a single row as the root: a Keras call that was given none, or a failure among tensors of no rows.

That a call was given no rows is a fact of the recording. Which line left none is read from the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from xladoctor.diagnosis.first_suspect import suspect_at
from xladoctor.diagnosis.own_source import files_of, program_of
from xladoctor.diagnosis.setting_finding import event_of
from xladoctor.model.diagnosis import Basis, Diagnosis, Finding, Location, Proof
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug
from xladoctor.sources.selections import Selection, selection

SLUG = "no-samples"
_BASIS = Basis("observed", "The number of rows was recorded in the run. The source shows which line left none.")
_ZERO = re.compile(r"[\[(]\s?0[,\])]|\b0 (?:sample|row|element)s?\b")


@dataclass(frozen=True)
class _Empty:
    """What was empty, where, and the names of it in the source."""

    what: str
    event: Event
    at: Location
    names: tuple[str, ...] = ()


def with_no_samples(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the empty data as its root, where a Keras call or the failure met them."""
    root = diagnosis.root
    failed = root is not None and root.level == "error"
    # An array without rows can itself be what a tested cause has made.
    tested = root is not None and root.status == "confirmed"
    found = next(_calls(recording), None) or (_arrays(recording) if failed and not tested else None)
    if found is None:
        return diagnosis
    cause = _cause(found, recording, failed)
    rest = tuple(f for f in diagnosis.findings if f.slug != SLUG)
    after = tuple(replace(f, role="consequence") for f in rest)
    word = diagnosis.verdict if failed else "warnings"
    return replace(diagnosis, findings=(cause, *after), verdict=word)


def _calls(recording: Recording) -> Iterator[_Empty]:
    """Calls of Keras that were given no rows, the first first."""
    for event in recording.of_kind(schema.CALL):
        at = location(event.get("where"))
        if event["phase"] == "begin" and event.get("rows_in") == 0 and not event.get("nested") and at is not None:
            yield _Empty(f"{event.get('method')} of {event.get('model')} got 0 samples", event, at)
    for event in recording.of_kind(schema.DATASET):
        at = location(event.get("used"))
        if event["what"] == "empty" and at is not None:
            yield _Empty(f"{event.get('method')} of {event.get('model')} got an empty dataset", event, at)


def _arrays(recording: Recording) -> _Empty | None:
    """An array of no rows that the failing lines name, where the message has a size of 0, too."""
    failure = next((e for e in reversed(recording.raised) if (e["pid"], e["failure"]) in recording.uncaught), None)
    if failure is None or not _ZERO.search(str(failure.get("message"))):
        return None
    for frame in failure.get("frames") or ():
        at = location(frame) if frame.get("user") else None
        code = files_of(recording).code(at.file, at.line or 0) if at is not None else ""
        for tensor in frame.get("tensors") or () if at is not None else ():
            name, shape = str(tensor.get("name")), tensor.get("shape")
            if at is not None and shape and shape[0] == 0 and re.search(rf"\b{re.escape(name)}\b", code):
                return _Empty(f"`{name}` has no rows: its shape is {python_shape(shape)}", failure, at, (name,))
    return None


def _cause(found: _Empty, recording: Recording, failed: bool) -> Finding:
    rule = by_slug(SLUG)
    trees = program_of(recording, found.at.file)
    made = selection(trees, found.at.file, found.at.line or 0, found.names)
    suspects = (suspect_at(recording, made.file, made.line, _reason(made)),) if made is not None else ()
    then = "Later failures follow from that." if failed else "No error was raised, and the model learnt nothing."
    return Finding(
        code=rule.code, slug=SLUG, level="error" if failed else "warning", role="root",
        title=found.what,
        message=f"{found.what}. {then}",
        location=suspects[0].location if suspects else found.at,
        raised_at=found.at,
        suspects=suspects,
        evidence=(Proof("event", found.what, event_of(found.event)),),
        status="untested" if failed else "confirmed",
        basis=_BASIS,
        remedies=rule.remedies,
    )  # fmt: skip


def _reason(made: Selection) -> str:
    return f"No row is left in `{made.name}` after this line." if made.name else "No row is left after this line."
