"""Where a rehearsal was not let write: that is the sandbox's doing, and no failure of the program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from xladoctor.recording import copies
from xladoctor.recording.run import Recording
from xladoctor.recording.schema import schema

_DENIED = (
    # Python's own; TensorFlow's PermissionDeniedError; HDF5's.
    re.compile(r"(?:Permission denied|writes nothing outside of its folder): '([^'\n]+)'"),
    re.compile(r"(?<![^\s;])([^\s;]+); Permission denied"),
    re.compile(r"unable to (?:open|create) file: name = '([^'\n]+)'.{0,80}Permission denied"),
    re.compile(r"unable to create file .{0,60}name = '([^'\n]+)'"),
)


@dataclass(frozen=True)
class Refused:
    """A path that the program wanted to write to, and why it got no copy of its own, where that was tried."""

    path: Path
    why: str | None

    @property
    def folder(self) -> Path:
        """The nearest folder of the path that exists."""
        return next(p for p in (self.path, *self.path.parents) if p.is_dir())


def refused_path(recording: Recording) -> Refused | None:
    """The absolute path outside of its folder that the rehearsal was not let write to, if that is how it ended."""
    begun = next((e for e in recording.of_kind(schema.REHEARSAL) if e.get("confined")), None)
    failures = recording.of_kind(schema.FAILURE)
    ended = {(e["pid"], e["failure"]) for e in failures if e.get("state") == "uncaught"}
    messages = [str(e.get("message")) for e in failures if (e["pid"], e["failure"]) in ended and e.get("message")]
    if begun is None or not messages:
        return None
    match = next((m for m in (p.search(messages[-1]) for p in _DENIED) if m), None)
    if match is None:
        return None
    # Large files of the working directory are links in its copy: the file itself is elsewhere.
    path = recording.folder / copies.WORK / match.group(1)
    path = path.resolve() if path.is_relative_to(recording.folder) else path
    redirected = begun.get("redirected") or {}
    why = next((w for folder, w in redirected.items() if w and path.is_relative_to(folder)), None)
    return Refused(path, why) if not path.is_relative_to(recording.folder.resolve()) else None
