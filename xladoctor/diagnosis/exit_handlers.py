"""Exceptions of functions that `atexit` called: the status with which the process ends does not show them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.basis import TEXT
from xladoctor.model.diagnosis import Finding, Proof
from xladoctor.model.evidence import AT_EXIT
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import by_slug, recognised


def exit_handlers(evidence: Evidence) -> Iterator[Finding]:
    """A warning for each."""
    for record in evidence.log.records:
        if record.exception is None or not any(line.startswith(AT_EXIT) for line in record.before[-1:]):
            continue
        rule = recognised(replace(record, level="error")) or by_slug("not-xla")
        first = next(iter(record.text.strip().splitlines()), "")
        said = f"{record.exception}: {first}".rstrip(": .")
        at = record.user_frame
        yield Finding(
            code=rule.code, slug=rule.slug, level="warning", role="root",
            title=f"{record.exception} in an exit handler",
            message=f"{said}. A function that atexit called raised it, so its work is not done. Python prints such "
                    f"an exception and keeps its exit status.",
            location=at.location if at is not None else None,
            evidence=(Proof("log", f"{AT_EXIT}: {said}", record.where),),
            status="untested", basis=TEXT, details={"at_exit": True},
        )  # fmt: skip
