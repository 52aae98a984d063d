"""The source lines of a diagnosis: read from files of this run on this machine, else as the log's traceback has them.

A log can name any file. So a file is opened only for a run folder that this user recorded here, and only where the
recording itself (a frame of the running program, or its command) names that file; what the log prints decides nothing.
"""

from __future__ import annotations

import io
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING

from xladoctor import secrets
from xladoctor.model.diagnosis import Diagnosis, Location, StackFrame
from xladoctor.report.excerpt import Excerpt, SourceLine

if TYPE_CHECKING:
    from xladoctor.recording.user_sources import UserSources

_CONTEXT = 2
_MOST = 8
_SUSPECTS = 2


def of(diagnosis: Diagnosis, folder: Path | str | None = None) -> tuple[Excerpt, ...]:
    """An excerpt for each place of a finding at error level of which a line is known."""
    run = _sources(Path(folder)) if folder is not None else None
    serious = [f for f in diagnosis.findings if f.level == "error" or f.role == "root"]
    suspected = [s.location for f in serious for s in f.suspects[:_SUSPECTS]]
    known = [place for f in serious for place in (f.location, f.raised_at)]
    places = dict.fromkeys(p for p in (*known, *suspected) if p is not None and _is_place(p))
    found = (_excerpt(place, diagnosis, run, place in suspected) for place in list(places)[:_MOST])
    return secrets.of_record(tuple(excerpt for excerpt in found if excerpt is not None))


def _sources(folder: Path) -> UserSources | None:
    from xladoctor.recording.user_sources import UserSources

    return UserSources.of(folder)


def _is_place(location: Location) -> bool:
    """Whether a place has a line: a diagnosis that is read from JSON may hold anything."""
    return isinstance(location.file, str) and isinstance(location.line, int) and location.line > 0


def _excerpt(place: Location, diagnosis: Diagnosis, run: UserSources | None, followed: bool) -> Excerpt | None:
    frame = _frame(place, diagnosis)
    printed = frame.code if frame is not None else None
    text, note = _text(place, run, followed) if run is not None else (None, "")
    rows = text.split("\n") if text is not None else []
    number = place.line or 0
    if 0 < number <= len(rows) and (printed is None or printed.strip()[:200] == rows[number - 1].strip()[:200]):
        first = max(number - _CONTEXT, 1)
        above = [SourceLine(n, rows[n - 1].rstrip("\r")) for n in range(first, number)]
        return Excerpt(place, (*above, _marked(number, rows[number - 1].rstrip("\r"), frame)))
    if printed is not None:
        return Excerpt(place, (_marked(number, printed, frame),), note)
    return Excerpt(place, (), note) if note else None


def _text(place: Location, run: UserSources, followed: bool) -> tuple[str | None, str]:
    """(text, "") of the file or cell of a place; (None, why it is not shown)."""
    return (_cell(place, run), "") if place.cell is not None else run.text(Path(place.file), followed)


def _cell(place: Location, run: UserSources) -> str | None:
    if run.cells:
        return next((cell.text for cell in run.cells.values() if cell.number == place.cell), None)
    # The place names a cell only where the text of that cell has the hash of the one that ran.
    from xladoctor.diagnosis.cells import code_of

    if not any(str(word) == place.file for word in run.facts.get("command") or ()):
        return None
    texts = code_of(run.cwd / place.file)
    number = place.cell or 0
    return texts[number - 1] if 0 < number <= len(texts) else None


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
    if "#" not in row:
        return end  # the pattern of a token alone takes as long to compile as a small log to read
    try:
        for token in tokenize.generate_tokens(io.StringIO(row.strip()).readline):
            if token.type == tokenize.COMMENT and token.start[1]:
                indent = len(row) - len(row.lstrip())
                return len(row[: indent + token.start[1]].rstrip())
    except (tokenize.TokenError, SyntaxError):
        pass
    return end
