"""The program's own source files, parsed: those that may be read, and are still as they were when it ran."""

from __future__ import annotations

from pathlib import Path

from xladoctor.recording.run import Recording
from xladoctor.recording.user_sources import UserSources
from xladoctor.sources.source import Source, Unreadable, parse


class _Sources:
    def __init__(self, recording: Recording) -> None:
        self.run = UserSources.of(recording.folder)
        self.parsed: dict[str, Source | None] = {}


def source_of(recording: Recording, file: str) -> Source | None:
    """A file of the program of a run; None where it must not or cannot be read, or was changed since."""
    sources = recording.once(_Sources)
    if file not in sources.parsed:
        text = sources.run.text(Path(file), followed=True)[0] if sources.run is not None else None
        try:
            sources.parsed[file] = parse(text, file) if text is not None else None
        except Unreadable:
            sources.parsed[file] = None
    return sources.parsed[file]
