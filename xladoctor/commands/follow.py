"""What `scan --follow` does, without a command line: findings of a log while it is written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path

from xladoctor.diagnosis.engine import diagnose
from xladoctor.errors import XladoctorError
from xladoctor.logs.live import LiveLog
from xladoctor.logs.source import GZIP, ZSTD
from xladoctor.logs.tail import tail_file, tail_stream
from xladoctor.model.diagnosis import Diagnosis, Finding
from xladoctor.recording.evidence import Evidence
from xladoctor.rules import literals

# A followed log from which nothing came so many times (of 0.2 s) says no more of what it said last.
SETTLED = 5
Following = Generator[Finding, None, Diagnosis]


def follow(log: Path | str, stop: Callable[[float], bool], tell: Callable[[str], None]) -> Following:
    """Read a log (`-`: standard input) while it is written. Yields each finding once, as soon as it can be told, and
    returns the diagnosis of all that was read. `stop` waits for so many seconds and says whether to end; `tell` hears
    what happens to the file.

    Raises:
        XladoctorError: (exit code 2) the log cannot be read, or is compressed.
    """
    name = "standard input" if str(log) == "-" else str(log)
    live, told, idle, first = LiveLog(name, literals()), set[tuple[str, str]](), 0, True
    happened = {
        "waiting": f"{name} does not exist yet: waiting for it",
        "rotated": f"{name} was rotated: reading the new one; the line count continues",
        "truncated": f"{name} was emptied: reading it from its beginning; the line count continues",
    }
    try:
        for event in tail_stream(sys.stdin.fileno(), stop) if str(log) == "-" else tail_file(Path(log), stop):
            if isinstance(event, bytes):
                if first and event.startswith((GZIP, ZSTD)):
                    raise XladoctorError(f"{name}: is compressed, so it cannot be followed")
                live.feed(event)
                idle, first = 0, False
            else:
                if event in ("rotated", "truncated"):
                    live.interrupted()
                if event != "idle" and not (event == "waiting" and idle):
                    tell(happened[event])
                idle += 1
                if idle == SETTLED:
                    live.settle()
            if live.changed or idle == SETTLED:
                # A line of the runtime that warns is often followed by the exception, which says more of the same.
                levels = ("error", "warning") if idle >= SETTLED else ("error",)
                yield from _news(diagnose(Evidence(name, live.evidence())).findings, told, levels)
    except OSError as error:
        raise XladoctorError(f"{name}: {(error.strerror or str(error)).lower()}") from error
    diagnosis = diagnose(Evidence(name, live.close()))
    yield from _news(diagnosis.findings, told)
    return diagnosis


def _news(
    findings: Sequence[Finding], told: set[tuple[str, str]], levels: Sequence[str] = ("error", "warning")
) -> Iterator[Finding]:
    """The findings that were not told before. What is learnt of one later (its op, its place) makes no new one."""
    for finding in findings:
        key = (finding.code, str(finding.dims) if finding.dims else finding.message)
        if finding.level in levels and key not in told:
            told.add(key)
            yield finding
