"""How the process ended, as findings and notes: for runs whose output does not say what was wrong."""

from __future__ import annotations

from collections.abc import Iterator

from xladoctor.diagnosis.model import Finding, Proof
from xladoctor.evidence.model import Evidence, ProcessOutcome
from xladoctor.evidence.output_log import output_notes
from xladoctor.evidence.schema import schema
from xladoctor.rules import by_slug


def outcome_findings(evidence: Evidence) -> Iterator[Finding]:
    """A failed end that no rule explained: a recorded exception, a signal, a time-out, an exit status."""
    process = evidence.process
    rule = by_slug("not-xla")
    if evidence.run is not None:
        uncaught = {e["failure"] for e in evidence.run.of_kind(schema.FAILURE) if e.get("state") == "uncaught"}
        for event in evidence.run.of_kind(schema.FAILURE):
            if event.get("state") != "raised":
                continue
            caught = "" if event["failure"] in uncaught else " The program caught it and went on."
            text = (
                f"{event['exception']}: {event['message'].strip().splitlines()[0] if event['message'].strip() else ''}"
            )
            yield Finding(
                code=rule.code, slug=rule.slug, level="error", role="root",
                title=f"{event['exception']} in {event.get('during')}",
                message=text.rstrip(": ") + "." + caught,
                evidence=(Proof("event", text, f"events-{event['pid']}.jsonl:{event['seq']}"),),
                status="confirmed",
            )  # fmt: skip
    if process is None or not failed(process):
        return
    ended = how_it_ended(process)
    yield Finding(
        code=rule.code,
        slug=rule.slug,
        level="error",
        role="root",
        title=f"the run {ended}",
        message=f"The run {ended}, and its output shows no TensorFlow or XLA error.{_advice(process)}",
        evidence=(Proof("process", f"{' '.join(process.command)}: {ended}", "run.json"),),
        status="confirmed",
    )


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
            yield "The doctor was killed while the command ran. The run went on; no worker was asked about it."
        errors = evidence.run.of_kind(schema.PROBE_ERROR)
        if errors:
            yield f"{len(errors)} recorder error(s), first: {errors[0].get('hook')}: {errors[0].get('error')}"
        for event in evidence.run.of_kind(schema.DROPPED):
            yield f"only the first {event.get('kept')} events of kind {event.get('recorder')} were kept"


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
            " SIGKILL without a word is most often the kernel's out-of-memory killer, or a batch system's limit: "
            "see dmesg or the job's report."
        )
    if process.state == "timed-out":
        return ""
    if process.signal in ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGILL"):
        return " The Python stack at that moment is at the end of stderr.log."
    return ""
