"""The target's output of a run folder as log evidence, with recorded exceptions that it never printed."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from xladoctor.logs import read_log
from xladoctor.logs.read import ERRORS
from xladoctor.model.evidence import ErrorRecord, LogEvidence
from xladoctor.recording import files
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

# First lines that say nothing yet.
_HEADINGS = (
    "Graph execution error:",
    "in user code:",
    "Exception encountered when calling",
    "Detected at node",
    "File ",
)


def output_of(recording: Recording, literals: Sequence[str] = ()) -> LogEvidence:
    """What the run said: `stdout.log` and `stderr.log`, and what it raised without saying so (`literals`: see
    `read_log`).
    """
    folder = recording.folder
    names = [name for name in ("stdout.log", "stderr.log") if files.is_file(folder, name)]
    paths = [folder / name for name in names]
    log = read_log(paths, allow_empty=True, literals=literals) if paths else LogEvidence(source=str(folder))
    # Named inside the folder: the same run must give the same words wherever the folder stands.
    inside = f"{folder}{os.sep}"
    records = [replace(r, where=r.where.removeprefix(inside)) for r in log.records]
    failures = recording.of_kind(schema.FAILURE)
    messages: dict[str, list[str]] = {}
    for failure in failures:
        messages.setdefault(failure["exception"], []).append(_plain(str(failure.get("message", ""))))
    records = [r for r in records if not _is_mention(r, messages)]
    printed = "\0".join(_plain(r.text) for r in log.records if r.level == "error")
    exceptions = {r.exception for r in log.records}
    added = 0
    for failure in recording.raised:
        if not _is_printed(failure, printed, exceptions):
            ended = (failure["pid"], failure["failure"]) in recording.uncaught
            # Of a log, too, only so many different errors are kept.
            if added < ERRORS or (ended and added < 2 * ERRORS):
                records += [replace(r, ended_run=r.ended_run and ended) for r in _records_of(failure)]
                added += 1
    return replace(log, records=tuple(records))


def _is_mention(record: ErrorRecord, messages: dict[str, list[str]]) -> bool:
    """Whether a line only names an exception that the program caught: the recording has the whole of it."""
    if record.exception is None or record.frames or record.nodes:
        return False
    same = messages.get(record.exception, [])
    first = _plain(next(iter(record.text.splitlines()), ""))
    return bool(same) and not any(first and first in message for message in same)


def _records_of(failure: dict[str, Any]) -> tuple[ErrorRecord, ...]:
    """A recorded exception, read as if it had been printed."""
    module = failure.get("module") or ""
    text = "Traceback (most recent call last):\n"
    for frame in failure.get("frames", ()):
        text += f'  File "{frame["file"]}", line {frame["line"]}, in {frame["function"]}\n'
    name = f"{module}.{failure['exception']}" if module not in ("", "builtins") else failure["exception"]
    text += f"{name}: {failure['message']}\n"
    where = f"events-{failure['pid']}.jsonl:{failure['seq']}"
    # The lines of the text above are no lines of the events file.
    return tuple(
        replace(r, where=where) for r in read_log(io.BytesIO(text.encode("utf-8", "replace")), name=where).records
    )


def _is_printed(failure: dict[str, Any], printed: str, names: set[str | None]) -> bool:
    """Whether the output shows the exception: its first telling line, or, if it has none, its name."""
    lines = [_plain(line) for line in str(failure.get("message", "")).splitlines()]
    first = next((n for n in lines if len(n) > 12 and not n.startswith(_HEADINGS)), None)
    if first is None:
        return failure["exception"] in names
    return first[:80] in printed


def _plain(text: str) -> str:
    return " ".join(text.split())
