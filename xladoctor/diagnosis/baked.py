"""Findings about shapes that come from values, from what a worker saw in the graphs of compiled functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from xladoctor.diagnosis.basis import TIMED
from xladoctor.diagnosis.setting_finding import finding
from xladoctor.model.diagnosis import Finding, Location, Proof
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

REQUEST = "baked"


def values_baked_in(recording: Recording) -> Iterator[Finding]:
    """One finding for each line of user code that makes a constant of XLA out of a value."""
    seen = set()
    # A function that failed to compile takes no value and compiles for none.
    failed = {e.get("capsule") for e in recording.of_kind(schema.FAILURE)}
    for answer in recording.answers(REQUEST):
        if answer.capsule in failed:
            continue
        for row in answer.result or ():
            at = _location(row)
            key = (row.get("op"), row.get("argument"), str(at))
            if key in seen:
                continue
            seen.add(key)
            yield _finding(answer.capsule, row, at)


def baked_notes(recording: Recording) -> tuple[str, ...]:
    """The same in a line each, for a table of shapes."""
    return tuple(f"{f.title}, {f.location}: each new value compiles again" for f in values_baked_in(recording))


def _finding(capsule: str, row: dict[str, Any], at: Location | None) -> Finding:
    given = " and ".join(f"the {g['kind']} {g['name']}" for g in row["from"])
    tried = row.get("recompiles") or {}
    text = f"{row['op']} ({row['node']}): its input {row['argument']!r} is computed from the value of {given}"
    evidence = [Proof("worker", text, f"worker.jsonl, capsule {capsule}")]
    seconds = tried.get("seconds")
    if seconds:
        evidence.append(
            Proof(
                "worker",
                f"first call {_ms(seconds[0])}, again with the same value {_ms(seconds[1])}, with another one "
                f"{_ms(seconds[2])}",
                "worker.jsonl",
            )
        )
    again = tried.get("again")
    shown = (
        "A call with another value did compile again."
        if again
        else "Here, a call with another value took no longer than one with the same value."
        if again is False
        else "Whether another value compiles again was not tested."
    )
    found = finding(
        "value-baked-in",
        f"{row['op']} takes its {row['argument']} from the value of {given}",
        f"XLA needs the {row['argument']} of {row['op']} when it compiles, and uses the value that {given} has "
        f"then. Each new value compiles again, and no count of traces shows that. {shown}",
        {"kind": "", "where": None if at is None else {"file": at.file, "line": at.line, "function": at.function}},
        evidence,
        tested=again is not None,
        basis=TIMED,
        details={"from": row["from"], "argument": row["argument"], "seconds": seconds},
    )
    return replace(
        found, op=row["op"], node=row["node"], level="note" if again is False else "warning",
        status="refuted" if again is False else found.status,
    )  # fmt: skip


def _location(row: dict[str, Any]) -> Location | None:
    frames = row.get("sources") or ()
    if not frames:
        return None
    file, line, function = frames[-1]
    return Location(str(file), line, function)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2g} ms"
