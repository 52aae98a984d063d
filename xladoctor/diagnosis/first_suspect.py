"""A line that the recording makes the first to suspect of the failure, with its remedies before the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xladoctor.diagnosis.own_source import files_of
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Finding, Location, Remedy
from xladoctor.recording.run import Recording


def suspect_at(recording: Recording, file: str, line: int, reason: str) -> Suspect:
    """A line of the program that is likely at fault, with its code and the function in which it stands."""
    files = files_of(recording)
    return Suspect(Location(file, line, files.function(file, line)), files.code(file, line), reason, "likely")


def with_first_suspect(diagnosis: Diagnosis, root: Finding, suspect: Suspect, remedies: Sequence[Remedy]) -> Diagnosis:
    """The diagnosis whose root stands at the line of `suspect`; the line that raised is kept beside it."""
    line = (suspect.location.file, suspect.location.line)
    blamed = replace(
        root,
        location=suspect.location,
        raised_at=root.raised_at or root.location,
        suspects=(suspect, *(s for s in root.suspects if (s.location.file, s.location.line) != line)),
        remedies=(*remedies, *root.remedies),
    )
    return diagnosis.with_finding(root, blamed)
