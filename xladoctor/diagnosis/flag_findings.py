"""Findings about how flags are written: in the environment that the run started with, and in what the program set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.basis import NOT_TESTED
from xladoctor.diagnosis.setting_finding import event_of, finding
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.recording.flags import FLAG_VARIABLES, FlagProblem, problems
from xladoctor.recording.run import Event, Recording
from xladoctor.recording.schema import schema


def flag_findings(recording: Recording) -> Iterator[Finding]:
    """Flags that are miswritten or unknown. Where the process died of one, its log says so, and better."""
    survived = recording.outcome is not None and recording.outcome.code == 0
    seen: set[tuple[str, str]] = set()
    for event, found in _found(recording):
        for problem in found:
            if (problem.variable, problem.flag) in seen:
                continue
            seen.add((problem.variable, problem.flag))
            if problem.kind == "duplicate":
                yield _duplicate(problem, event)
            elif survived:
                yield _fatal(problem, event)


def _found(recording: Recording) -> Iterator[tuple[Event, list[FlagProblem]]]:
    start = next(iter(recording.of_kind(schema.START)), None)
    if start is not None:
        looked_up = [FlagProblem(**p) for p in recording.run.get("flags", ()) if set(p) == _FIELDS]
        yield start, looked_up or problems(start.get("environment", {}))
    for event in recording.of_kind(schema.SETTING):
        written = event["store"] == "env" and event["action"] == "write" and event["key"] in FLAG_VARIABLES
        if written and isinstance(event["value"], str):
            yield event, problems({event["key"]: event["value"]})


_FIELDS = {"variable", "flag", "kind", "message"}


def _duplicate(problem: FlagProblem, event: Event) -> Finding:
    return finding(
        "flag-ineffective",
        f"{problem.variable}: a flag is given twice",
        f"In {problem.variable}, {problem.message}.",
        event,
        [_proof(problem, event)],
    )


def _fatal(problem: FlagProblem, event: Event) -> Finding:
    when = "its devices are made" if problem.variable == "TF_XLA_FLAGS" else "XLA first compiles something"
    found = finding(
        "flag-error",
        f"{problem.variable}: {problem.flag} would end the process",
        f"{problem.flag!r} in {problem.variable}: {problem.message}. TensorFlow ends the process at such a flag when "
        f"{when}; this run ended before that, or the variable was set too late to be read.",
        event,
        [_proof(problem, event)],
    )
    return replace(found, status="untested", basis=NOT_TESTED)


def _proof(problem: FlagProblem, event: Event) -> Proof:
    return Proof("environment", f"{problem.variable}: {problem.flag}: {problem.message}", event_of(event))
