"""The program's own source files, parsed: those that may be read, and are still as they were when it ran."""

from __future__ import annotations

from pathlib import Path

from xladoctor.recording.run import Recording
from xladoctor.recording.user_sources import sources_of
from xladoctor.sources.source import Source, Unreadable, parse


def source_of(recording: Recording, file: str) -> Source | None:
    """A file of the program of a run; None where it must not or cannot be read, or was changed since."""
    return recording.once(_parsed, file)


def _parsed(recording: Recording, file: str) -> Source | None:
    sources = sources_of(recording)
    text = sources.text(Path(file), followed=True)[0] if sources is not None else None
    try:
        return parse(text, file) if text is not None else None
    except Unreadable:
        return None
