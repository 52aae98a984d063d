"""The source lines of a diagnosis: read from files of this run on this machine, else as the log's traceback has them.

A log can name any file. So a file is opened only for a run folder that this user recorded here, and only where the
recording itself (a frame of the running program, or its command) names that file; what the log prints decides nothing.
"""

from __future__ import annotations

import io
import json
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from xladoctor import secrets
from xladoctor.model.diagnosis import Diagnosis, Location, StackFrame
from xladoctor.report.excerpt import Excerpt, SourceLine

_CONTEXT = 2
_MOST = 8
_LARGEST = 5_000_000
_BLOCK = 1 << 20


def of(diagnosis: Diagnosis, folder: Path | str | None = None) -> tuple[Excerpt, ...]:
    """An excerpt for each place of a finding at error level of which a line is known."""
    run = _Run.of(Path(folder)) if folder is not None else None
    serious = [f for f in diagnosis.findings if f.level == "error" or f.role == "root"]
    known = (f.location for f in serious if f.location is not None and _is_place(f.location))
    places = dict.fromkeys(known)
    found = (_excerpt(place, diagnosis, run) for place in list(places)[:_MOST])
    return secrets.of_record(tuple(excerpt for excerpt in found if excerpt is not None))


def _is_place(location: Location) -> bool:
    """Whether a place has a line: a diagnosis that is read from JSON may hold anything."""
    return isinstance(location.file, str) and isinstance(location.line, int) and location.line > 0


def _excerpt(place: Location, diagnosis: Diagnosis, run: _Run | None) -> Excerpt | None:
    frame = _frame(place, diagnosis)
    printed = frame.code if frame is not None else None
    text, note = run.text(place) if run is not None else (None, "")
    rows = text.split("\n") if text is not None else []
    number = place.line or 0
    if 0 < number <= len(rows) and (printed is None or printed.strip()[:200] == rows[number - 1].strip()[:200]):
        first = max(number - _CONTEXT, 1)
        above = [SourceLine(n, rows[n - 1].rstrip("\r")) for n in range(first, number)]
        return Excerpt(place, (*above, _marked(number, rows[number - 1].rstrip("\r"), frame)))
    if printed is not None:
        return Excerpt(place, (_marked(number, printed, frame),), note)
    return Excerpt(place, (), note) if note else None


def _frame(place: Location, diagnosis: Diagnosis) -> StackFrame | None:
    """The frame of the printed traceback at a place, with its line of code."""
    frames = (f for stack in diagnosis.stacks for f in stack.frames if isinstance(f.code, str) and f.code)
    return next((f for f in frames if (f.file, f.line) == (place.file, place.line)), None)


def _marked(number: int, row: str, frame: StackFrame | None) -> SourceLine:
    """The line with what Python marked in its traceback, else with the whole statement marked."""
    start = len(row) - len(row.lstrip())
    end = _end_of_code(row)
    marks = frame.marks if frame is not None else None
    if isinstance(marks, str) and marks.strip() and row.isascii():
        # Python aligns its marks with the code, which it prints without its indentation.
        begin, last = len(marks) - len(marks.lstrip()), len(marks.rstrip())
        if start + last <= len(row.rstrip()):
            start, end = start + begin, start + last
    return SourceLine(number, row[:start], row[start:end], row[end:])


def _end_of_code(row: str) -> int:
    """Where the code of a line ends: before its comment."""
    end = len(row.rstrip())
    try:
        for token in tokenize.generate_tokens(io.StringIO(row.strip()).readline):
            if token.type == tokenize.COMMENT and token.start[1]:
                indent = len(row) - len(row.lstrip())
                return len(row[: indent + token.start[1]].rstrip())
    except (tokenize.TokenError, SyntaxError):
        pass
    return end


class _Run:
    """A run folder that this user recorded on this machine."""

    def __init__(self, folder: Path, known: dict[str, str], facts: dict[str, Any]) -> None:
        self._folder, self._known, self._facts = folder, known, facts
        self._cwd = Path(str(facts.get("cwd") or "."))

    @classmethod
    def of(cls, folder: Path) -> _Run | None:
        """The run, or None of a folder that is foreign or was changed."""
        from xladoctor.recording import files, mark

        known = mark.listed(folder)
        try:
            if known is None or known.get("run.json") != mark.digest(folder, "run.json"):
                return None
            return cls(folder, known, files.read_table(folder, "run.json"))
        except (OSError, files.Unusable):
            return None

    def text(self, place: Location) -> tuple[str | None, str]:
        """(text, "") of the file or cell of a place; (None, why it is not shown)."""
        if place.cell is not None:
            return self._cell(place), ""
        file = Path(place.file)
        if not file.is_absolute() or not self._ran(file):
            return None, ""
        try:
            status = file.stat()
            if not file.is_file() or status.st_size > _LARGEST:
                return None, ""
            if status.st_mtime > float(self._facts.get("started") or 0):
                return None, f"{file.name} changed after the run started: its lines are not shown."
            return file.read_bytes().decode("utf-8", "replace"), ""
        except (OSError, ValueError):
            return None, ""

    def _cell(self, place: Location) -> str | None:
        # The place names a cell only where the text of that cell has the hash of the one that ran.
        from xladoctor.diagnosis.cells import code_of

        if not any(str(word) == place.file for word in self._facts.get("command") or ()):
            return None
        texts = code_of(self._cwd / place.file)
        number = place.cell or 0
        return texts[number - 1] if 0 < number <= len(texts) else None

    def _ran(self, file: Path) -> bool:
        """Whether the recording names the file as one of the program: in its command, or in a recorded frame."""
        command = self._facts.get("command")
        words = [str(word) for word in command] if isinstance(command, list) else []
        if any(word.endswith(".py") and self._cwd / word == file for word in words):
            return True
        # As the recorder writes it. In a recorded message the quotes would be escaped.
        wanted = f'"file":{json.dumps(str(file))}'.encode()
        names = [name for name in self._known if name.startswith("events-") and name.endswith(".jsonl")]
        return any(wanted in block for name in names for block in self._blocks(name, len(wanted)))

    def _blocks(self, name: str, overlap: int) -> Iterator[bytes]:
        """The bytes of a file of the folder, if they are what was signed; each block begins with the last one's end."""
        from xladoctor.recording import files, mark

        try:
            if mark.digest(self._folder, name) != self._known[name]:
                return
            with files.opened(self._folder, name) as stream:
                tail = b""
                while block := stream.read(_BLOCK):
                    yield tail + block
                    tail = (tail + block)[-overlap:]
        except (OSError, files.Unusable):
            return
