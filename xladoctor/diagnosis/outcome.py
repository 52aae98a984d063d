"""How the process ended, as findings and notes: for runs whose output does not say what was wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.basis import ENDED, HANDLED, RAISED
from xladoctor.diagnosis.blocks import block_notes
from xladoctor.diagnosis.facts import first_location
from xladoctor.diagnosis.gaps import gap_notes
from xladoctor.diagnosis.weigh import how_it_went_on, is_uncaught, level_of_handled, survived, uncaught
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.model.evidence import ProcessOutcome
from xladoctor.model.output_log import output_notes
from xladoctor.recording.evidence import Evidence
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema
from xladoctor.rules import by_slug


def outcome_findings(evidence: Evidence) -> Iterator[Finding]:
    """An end that no rule explained: a recorded exception, a signal, a time-out, an interrupt, an exit status."""
    process = evidence.process
    if process is not None and process.state in ("interrupted", "timed-out"):
        yield _stopped(process)
        return
    if evidence.run is not None:
        yield from _exceptions(evidence.run)
    if process is None or not failed(process):
        return
    rule = by_slug("not-xla")
    ended = how_it_ended(process)
    yield Finding(
        code=rule.code,
        slug=rule.slug,
        level="error",
        role="root",
        title=f"the run {ended}",
        message=f"The run {ended}, and its output shows no TensorFlow or XLA error.{_advice(process)}",
        evidence=(Proof("process", f"{' '.join(process.command)}: {ended}", "run.json"),),
        status="untested",
        basis=ENDED,
    )


def _exceptions(recording: Recording) -> Iterator[Finding]:
    """The recorded exceptions. What the program caught before it ended well, or of another, is a warning or a note."""
    rule = by_slug("not-xla")
    ends = uncaught(recording)
    for event in recording.raised:
        ended = not survived(recording) and (is_uncaught(event, recording) or not ends)
        first = next(iter(event["message"].strip().splitlines()), "")
        text = f"{event['exception']}: {first}".rstrip(": ")
        yield Finding(
            code=rule.code, slug=rule.slug, level="error" if ended else level_of_handled(event, recording), role="root",
            title=f"{event['exception']} in {event.get('during')}",
            message=f"{text}." + ("" if ended else f" {how_it_went_on(event, recording)}"),
            location=first_location(event.get("frames") or ()),
            evidence=(Proof("event", text, f"events-{event['pid']}.jsonl:{event['seq']}"),),
            status="untested", basis=RAISED if ended else HANDLED, details={} if ended else {"handled": True},
        )  # fmt: skip


def interrupted(finding: Finding) -> Finding:
    """A KeyboardInterrupt that ended the run: somebody's wish, and no failure."""
    message = "The run was interrupted (KeyboardInterrupt), so how it would have ended is not known."
    return replace(
        finding, level="warning", title="the run was interrupted", message=message, status="untested", basis=ENDED,
        remedies=(),
    )  # fmt: skip


def _stopped(process: ProcessOutcome) -> Finding:
    """The run was stopped from outside: nothing is known of how it would have ended."""
    rule = by_slug("not-xla")
    by_user = process.state == "interrupted"
    ended = "was interrupted" if by_user else how_it_ended(process)
    who = "Somebody interrupted it" if by_user else "The doctor stopped it"
    return Finding(
        code=rule.code, slug=rule.slug, level="warning" if by_user else "error", role="root",
        title=f"the run {ended}",
        message=f"The run {ended}. {who}, so how it would have ended is not known.",
        evidence=(Proof("process", f"{' '.join(process.command)}: {ended}", "run.json"),),
        status="untested", basis=ENDED, details={"kind": process.state},
    )  # fmt: skip


def outcome_notes(evidence: Evidence) -> Iterator[str]:
    """What a reader must know of the run besides the findings."""
    process = evidence.process
    if process is None:
        return
    yield from output_notes(process.output)
    if process.state == "timed-out":
        yield "The target was stopped at the time-out; a Python program leaves the stacks of its threads in stderr.log."
    if evidence.run is not None:
        if evidence.run.run.get("doctor") == "killed":
            yield "The doctor was killed while the command ran. The run continued, but no worker checked it."
        errors = evidence.run.of_kind(schema.PROBE_ERROR)
        if errors:
            yield f"{len(errors)} recorder error(s), first: {errors[0].get('hook')}: {errors[0].get('error')}"
        yield from gap_notes(evidence.run)
        yield from block_notes(evidence.run)


def failed(process: ProcessOutcome) -> bool:
    """True unless the process exited with 0."""
    return process.state != "running" and not (process.state == "exited" and process.code == 0)


def how_it_ended(process: ProcessOutcome) -> str:
    """In words: exited with 3, was killed by SIGKILL, was stopped after 30 s."""
    if process.state == "timed-out":
        return f"was stopped at the time-out after {process.seconds:.0f} s" if process.seconds else "timed out"
    if process.signal:
        return f"was killed by {process.signal}"
    return f"exited with {process.code}"


def _advice(process: ProcessOutcome) -> str:
    if process.signal == "SIGKILL":
        return (
            " SIGKILL without a message usually comes from the kernel's out-of-memory killer, or from a limit of "
            "the batch system: see dmesg or the report of the job."
        )
    if process.signal in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL"):
        return " The Python stack at that moment is at the end of stderr.log."
    return ""
