"""Saved logs and run folders, read and diagnosed. Everything here only reads."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from xladoctor import secrets
from xladoctor.errors import XladoctorError
from xladoctor.recording.evidence import Evidence

if TYPE_CHECKING:
    from xladoctor.diagnosis.cells import Cell
    from xladoctor.model.diagnosis import Diagnosis
    from xladoctor.model.trace import Trace, TraceDiff
    from xladoctor.recording.run import Recording


def scan_logs(logs: Sequence[Path | str], threads: int | None = None, source: Path | None = None) -> Diagnosis:
    """Diagnose saved output as that of one run; `-` is standard input. `threads` search a large log; `source` is the
    folder of the program, whose files are followed to the lines that may be wrong.

    Raises:
        XladoctorError: (exit code 2) a log cannot be read, or is empty.
    """
    from xladoctor.diagnosis.engine import diagnose
    from xladoctor.logs import UnreadableLog, read_log
    from xladoctor.rules import literals

    streams, known = _streams(logs)
    try:
        name = "standard input" if "-" in [str(s) for s in logs] else None
        log = read_log(streams, name=name, threads=threads, literals=literals())
    except UnreadableLog as error:
        raise XladoctorError(f"{error.path}: {error.reason}") from error
    binary = log.facts.get("binary", {})
    if binary and not log.records:
        raise XladoctorError(f"{', '.join(binary)}: is binary, not the text of a log")
    notes = tuple(f"{name} is not all text: what could be read of it was used" for name in binary)
    notes += tuple(
        f"{name} ends early ({why}): the rest was used" for name, why in log.facts.get("damaged", {}).items()
    )
    names = ", ".join("standard input" if str(log) == "-" else str(log) for log in logs) if known else log.source
    found = diagnose(Evidence(source=names, log=log, notes=notes))
    if source is not None:
        from xladoctor.blame.of_log import with_blame

        found = with_blame(found, log.records, source)
    if not known:
        return found
    from xladoctor.diagnosis.cells import in_cells

    return in_cells(found, known)


def scan_text(text: str) -> Diagnosis:
    """Diagnose output that is at hand as text, as that of one run.

    Raises:
        XladoctorError: (exit code 2) it is empty.
    """
    import io

    from xladoctor.diagnosis.engine import diagnose
    from xladoctor.logs import UnreadableLog, read_log
    from xladoctor.rules import literals

    try:
        log = read_log([io.BytesIO(text.encode("utf-8", "replace"))], name="the text", literals=literals())
    except UnreadableLog as error:
        raise XladoctorError(f"{error.path}: {error.reason}") from error
    return diagnose(Evidence(source="the text", log=log))


def _streams(logs: Sequence[Path | str]) -> tuple[list[IO[bytes] | Path], dict[str, Cell]]:
    """What to read of the logs, and the cells of notebooks among them: of a notebook its saved outputs are the log."""
    from xladoctor.recording.notebook import is_notebook, read_outputs

    streams: list[IO[bytes] | Path] = []
    known: dict[str, Cell] = {}
    for log in logs:
        if str(log) == "-" or not is_notebook(Path(log)):
            streams.append(sys.stdin.buffer if str(log) == "-" else Path(log))
            continue
        try:
            outputs = read_outputs(Path(log))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise XladoctorError(f"{log}: {reason}") from error
        if not outputs.logs:
            raise XladoctorError(f"{log}: holds no saved output", hint=f"xladoctor scan -- jupyter execute {log}")
        from xladoctor.diagnosis.cells import Cell

        streams += outputs.logs
        known |= {str(number): Cell(str(log), number) for number in range(1, outputs.cells + 1)}
    return streams, known


def scan_run(folder: Path, facts: dict[str, Any] | None = None) -> Diagnosis:
    """Diagnose a run folder from what is in it; `facts` are what `run.json` holds, or would if it could be written.
    Writes nothing.

    Raises:
        XladoctorError: (exit code 2) it is no run folder.
    """
    from xladoctor.blame.compiled_index import with_clamped_index
    from xladoctor.blame.last_batch import with_last_batch
    from xladoctor.blame.of_run import with_blame
    from xladoctor.blame.other_batch import with_other_batch
    from xladoctor.diagnosis.attempt import attempted
    from xladoctor.diagnosis.cells import cells, in_cells
    from xladoctor.diagnosis.cleanup import first_error_first
    from xladoctor.diagnosis.engine import diagnose
    from xladoctor.diagnosis.known_lines import with_known_line
    from xladoctor.recording import files
    from xladoctor.recording.output import output_of
    from xladoctor.recording.run_folder import foreign_note
    from xladoctor.rules import literals

    recording = recording_of(folder, facts)
    log = first_error_first(output_of(recording, literals()), recording)
    found = diagnose(Evidence(source=str(folder), log=log, process=recording.outcome, run=recording))
    for step in (with_blame, with_clamped_index, with_last_batch, with_other_batch):
        found = attempted(step, found, recording)
    found = with_known_line(found, recording)
    if found.root is not None and found.root.suspects and not recording.edits:
        from xladoctor.blame.likely_edit import with_likely_edit

        found = attempted(with_likely_edit, found, recording)
    note = foreign_note(recording)
    if note is not None:
        found = replace(found, notes=(*found.notes, note))
    tried = recording.edits
    if tried:
        from xladoctor.diagnosis.edits import edits_of, with_edits

        found = with_edits(found, edits_of({"edits": tried}))
    found = in_cells(found, cells(recording))
    if found.root is not None:
        # Suspects and edits quote lines of the program, which may hold what its messages hold.
        found = found.with_finding(found.root, secrets.of_record(found.root))
    if not any(name.startswith("replay") for name in files.names(folder)):
        return found
    from xladoctor.diagnosis.tested import with_tested
    from xladoctor.recording.replays import of_run

    replays, problems = of_run(folder)
    diagnosis = with_tested(found, replays)
    return replace(diagnosis, problems=(*diagnosis.problems, *problems))


def recording_of(folder: Path, facts: dict[str, Any] | None) -> Recording:
    """What is recorded of a run; with `facts` of it also where the disk is full or the folder was removed."""
    from xladoctor.recording import files
    from xladoctor.recording.run import Recording, read_run

    if facts is None:
        return read_run(folder)
    run = files.parsed(json.dumps(facts).encode())
    if not files.is_run_folder(folder):
        return Recording(folder, run)
    recording = read_run(folder)
    problems = tuple(p for p in recording.problems if not p.startswith("run.json"))
    return recording if recording.run == run else replace(recording, run=run, problems=problems)


def trace_run(folder: Path) -> Trace:
    """The shapes at the places of a recorded run, from what is in its folder. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) it is no run folder.
    """
    from xladoctor.diagnosis.trace import trace
    from xladoctor.recording.run import read_run

    return trace(read_run(folder))


def diff_runs(a: Path, b: Path) -> TraceDiff:
    """Two recorded runs side by side. Writes nothing.

    Raises:
        XladoctorError: (exit code 2) one of them is no run folder.
    """
    from xladoctor.diagnosis.trace_diff import diff

    return diff(trace_run(a), trace_run(b))
