"""How a run ended, and what was recorded of it, outrank every text.

A program may print any error and go on: of what an exception was raised there is an event, and of how the process ended
there is a status. What was only printed by a run that ended with 0 is a note at most.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from xladoctor.diagnosis.basis import HANDLED, LOOKED_UP, RAISED, TEXT
from xladoctor.diagnosis.flag_place import with_place
from xladoctor.diagnosis.handling import done_otherwise, kept_by_parent, last_words, looked_after, reported, turned
from xladoctor.model.diagnosis import Finding, Level, Status
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import Event, Recording, location
from xladoctor.recording.schema import schema
from xladoctor.rules import OUTSIDE, by_code

# What Python cannot raise for any other reason: that it ended the run is all that is claimed.
_PLAIN = frozenset(
    {
        "ModuleNotFoundError", "FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError",
        "SyntaxError", "IndentationError", "JSONDecodeError", "ZeroDivisionError", "UnicodeDecodeError", "BadZipFile",
    }
)  # fmt: skip
# Deaths of a process: a text about one says nothing of a process that ended with a status of its own.
_DEATHS = frozenset(
    {"killed", "segfault", "fpe", "illegal-instruction", "bus-error", "terminated", "aborted", "native"}
)
_SHELL = 128
_CHAINED = 2000
_WORDS, _TELLING = 60, 8
_PROGRESS = re.compile(
    r"\d/\d{1,9}\b.{0,400}?\bloss: nan|^Epoch \d+|- (?:val_)?loss: nan|Invalid loss, terminating training"
)


def weighed(findings: Iterable[Finding], evidence: Evidence) -> tuple[Finding, ...]:
    """What the output says of a run, with the weight that its end and its recording give to it."""
    recording = evidence.run
    if recording is None or recording.outcome is None or recording.outcome.probes != "recorded":
        return tuple(findings)
    return tuple(kept for finding in findings if (kept := _weighed(finding, recording)) is not None)


def survived(recording: Recording) -> bool:
    """Whether the run ended with status 0."""
    outcome = recording.outcome
    return outcome is not None and outcome.state == "exited" and outcome.code == 0


def ended_itself(recording: Recording) -> bool:
    """Whether the program ended the run with a status of its own choice: by an exception that a line of its own or an
    assertion raised, or by `sys.exit`. What it met then may be a wrong result of a call that raised nothing.
    """
    if survived(recording) or not _has_status(recording):
        return False
    ends = uncaught(recording)
    if not ends:
        return not any(e.get("capsule") for e in recording.raised)
    return all(e.get("capsule") is None and (e.get("exception") == "AssertionError" or _by_user(e)) for e in ends)


def _by_user(event: Event) -> bool:
    frames = list(event.get("frames") or [])
    return bool(frames) and bool(frames[-1].get("user"))


def uncaught(recording: Recording) -> list[Event]:
    """The recorded exceptions that ended a process, and those that they came of."""
    return recording.once(_uncaught)


def is_uncaught(event: Event, recording: Recording) -> bool:
    """Whether this recorded exception ended a process, or led to one that did."""
    return _id(event) in recording.once(_uncaught_ids)


def _uncaught_ids(recording: Recording) -> set[tuple[int, int]]:
    return {_id(e) for e in uncaught(recording)}


def _id(event: Event) -> tuple[int, int]:
    return event["pid"], event["seq"]


def _uncaught(recording: Recording) -> list[Event]:
    last = [e for e in recording.raised if (e["pid"], e["failure"]) in recording.uncaught]
    ids = {_id(e) for e in last}
    chain = {(e["pid"], c.get("exception"), c.get("message")) for e in last for c in e.get("chain") or ()}
    return [
        e
        for e in recording.raised
        if _id(e) in ids or (e["pid"], e.get("exception"), str(e.get("message"))[:_CHAINED]) in chain
    ]


def failures_of(finding: Finding, recording: Recording) -> Iterator[Event]:
    """The recorded exceptions that a finding speaks of: by where it stands, by its words."""
    texts = [" ".join(p.text.split())[:80] for p in finding.evidence if p.kind == "log"]
    for event in recording.raised:
        message = " ".join(str(event.get("message", "")).split())
        stands = any(p.where == f"events-{event['pid']}.jsonl:{event['seq']}" for p in finding.evidence)
        if stands or (message and any(len(text) > 12 and (text in message or message in text) for text in texts)):
            yield event


def handled(finding: Finding, event: Event, recording: Recording) -> Finding:
    """A finding about an exception that the run survived: caught, or the end of another process or of a thread.

    What was caught in a run that went on to its end is a note: exceptions are a way of asking, too.
    """
    at = location(event.get("caught"))
    message = finding.message
    if finding.slug in OUTSIDE:
        first = next(iter(str(event.get("message", "")).strip().splitlines()), "")
        message = f"{event.get('exception')}: {first}".rstrip(": ") + "."
    return replace(
        finding, level=level_of_handled(event, recording), message=f"{message} {how_it_went_on(event, recording)}",
        details={**finding.details, "handled": True, **({"caught": str(at)} if at else {})},
        status=finding.status if finding.basis else "untested",
        basis=finding.basis if finding.basis and finding.status == "confirmed" else HANDLED,
    )  # fmt: skip


def _caught(event: Event) -> str:
    """Where, and what became of the result, as far as the handler says so."""
    at, gives = location(event.get("caught")), (event.get("caught") or {}).get("gives")
    if at is None:
        return ""
    return f" at {at}, which gives {gives} instead," if isinstance(gives, str) else f" at {at}"


def how_it_went_on(event: Event, recording: Recording) -> str:
    """The sentence for an exception that the run survived."""
    if not is_uncaught(event, recording):
        return f"The program caught this exception{_caught(event)} and continued."
    if kept_by_parent(event, recording):
        return "It ended a process that the program had started. The program kept its output and continued."
    if reported(event):
        return f"A handler of the program{_caught(event).rstrip(',')} noted it and raised it again; the run continued."
    looks = looked_after(event, recording)
    if looks is not None:
        return f"It ended its thread or process. The program checks how its workers end ({looks}), and continued."
    return "It ended its thread or process, and the run continued without it."


def level_of_handled(event: Event, recording: Recording) -> Level:
    """A warning where the run failed, where the exception ended a thread, or a process before everybody's eyes, and
    where the run had nothing more to say than that; else a note.
    """
    if not survived(recording):
        return "warning"
    if is_uncaught(event, recording):
        if _of_text(event):
            return "note"  # the code of a child that has no file: there is no line of the program's to look at
        dealt_with = kept_by_parent(event, recording) or reported(event) or looked_after(event, recording) is not None
        return "note" if dealt_with else "warning"
    if done_otherwise(event, recording) or turned(event):
        return "note"
    said = [line.strip() for line in str(event.get("message", "")).splitlines() if len(line.strip()) >= _TELLING]
    words = [f"{event.get('exception')}:", *(line[:_WORDS] for line in (*said[:1], *said[-1:]))]
    return "warning" if any(word in line for word in words for line in last_words(recording)) else "note"


def _of_text(event: Event) -> bool:
    """Whether it was raised in code that stands in no file: `python -c`, standard input."""
    frames = [str(f.get("file")) for f in event.get("frames") or () if f.get("user")]
    return bool(frames) and all(file.startswith("<") for file in frames)


def _weighed(finding: Finding, recording: Recording) -> Finding | None:
    if finding.slug == "flag-error":
        finding = with_place(finding, recording)
    if finding.slug == "flag-error" and not survived(recording) and _looked_up(finding, recording):
        return replace(finding, status="confirmed", basis=LOOKED_UP)
    events = list(failures_of(finding, recording))
    ends = uncaught(recording)
    if events:
        if finding.level == "warning" and not any(is_uncaught(e, recording) for e in events):
            return handled(finding, events[0], recording)
        # Where something else had failed before, that may be why a file is missing or a name is not there.
        alone = all(e in events for e in recording.raised)
        return _raised(finding, any(is_uncaught(e, recording) for e in events), recording, alone)
    if survived(recording):
        return _printed(finding, recording)
    if ends and finding.details.get("kind") in _DEATHS and _has_status(recording):
        return None  # it died of an exception, whatever it had printed of another process
    return finding


def _raised(finding: Finding, ended: bool, recording: Recording, alone: bool) -> Finding:
    """A finding of which the recording has the exception."""
    if not ended:
        return finding
    plain = finding.details.get("kind") in _PLAIN
    status: Status = "confirmed" if plain and alone and not survived(recording) else "untested"
    return replace(finding, status=status, basis=RAISED)


def _printed(finding: Finding, recording: Recording) -> Finding | None:
    """What only the output of a run that ended with 0 says."""
    fit = next((e for e in recording.of_kind(schema.CALL) if e.get("method") == "fit"), None)
    if finding.details.get("kind") == "nan":
        if fit is None or not any(_PROGRESS.search(p.text) for p in finding.evidence):
            return None
        where = finding.location or location(fit.get("where"))
        return replace(finding, level="warning", location=where, status="untested", basis=TEXT)
    if finding.slug in OUTSIDE or finding.slug == "log-cut":
        return None
    serious = finding.level == "error" or by_code(finding.code).level == "error"
    if not serious:
        return finding
    message = f"{finding.message} The run still ended with 0."
    return replace(finding, level="note", message=message, status="untested", basis=TEXT, remedies=())


def _looked_up(finding: Finding, recording: Recording) -> bool:
    """Whether the doctor itself missed the flag in TensorFlow's libraries, before the run."""
    flags = [str(problem.get("flag")) for problem in recording.run.get("flags") or () if isinstance(problem, dict)]
    return any(flag in proof.text for flag in flags for proof in finding.evidence)


def _has_status(recording: Recording) -> bool:
    outcome = recording.outcome
    return outcome is not None and outcome.state == "exited" and (outcome.code or 0) < _SHELL
