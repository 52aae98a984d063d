"""Where a program writes a flag that ended a process: in the variable of a child's environment, or in its own.

TensorFlow ends the process at an unknown flag without a Python frame. The flag is a text that the program's source
holds, so the one line that spells it is the place.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.own_source import program_of, source_of
from xladoctor.model.diagnosis import Finding, Location
from xladoctor.recording.run import Recording, location
from xladoctor.recording.schema import schema
from xladoctor.sources.names import nodes_of
from xladoctor.sources.order import statement_end


def with_place(finding: Finding, recording: Recording) -> Finding:
    """A finding about a flag, at the line that writes the flag, where there is just one."""
    flags = [str(flag) for flag in finding.details.get("flags") or ()]
    if finding.location is not None or not flags:
        return finding
    written, spelt = set(_written(flags, recording)), set(_spelt(flags, recording))
    if len(spelt) == 1 and all(_spells_none(at, flags, recording) for at in written):
        # The write passes on a value from elsewhere, as from a table of profiles: the correction belongs there.
        written = spelt
    places = written or spelt
    return replace(finding, location=places.pop()) if len(places) == 1 else finding


def _spells_none(at: Location, flags: list[str], recording: Recording) -> bool:
    """Whether the source of a write is known, and its statement has none of the flags in it."""
    source = source_of(recording, at.file)
    if source is None or at.line is None:
        return False
    lines = source.lines[at.line - 1 : statement_end(source.tree, at.line)]
    return not any(flag in line for flag in flags for line in lines)


def _written(flags: list[str], recording: Recording) -> Iterator[Location]:
    """The recorded writes of an environment variable with one of the flags."""
    for event in recording.of_kind(schema.SETTING):
        if event["store"] == "env" and event["action"] == "write" and _holds(str(event["value"]), flags):
            at = location(event.get("where"))
            if at is not None:
                yield at


def _spelt(flags: list[str], recording: Recording) -> Iterator[Location]:
    """The lines of the program's sources on which a text with one of the flags stands."""
    for file, tree in program_of(recording, *_raising_files(recording)).items():
        for node in nodes_of(tree, ast.Constant):
            if isinstance(node.value, str) and _holds(node.value, flags):
                yield Location(file, node.lineno, None)


def _raising_files(recording: Recording) -> list[str]:
    """The program's own files in the frames of recorded exceptions."""
    return [str(f.get("file")) for e in recording.raised for f in e.get("frames") or () if f.get("user")]


def _holds(text: str, flags: list[str]) -> bool:
    return any(re.search(rf"(?<!\S){re.escape(flag)}(?!\S)", text) for flag in flags)
