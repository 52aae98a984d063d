"""Errors of cleaning up: raised in a `finally` or an `__exit__` while another exception was on its way.

Python prints the exception of the cleaning last, and the process ends with it. The one before it is what went wrong.
An exception that an `except` clause raises stays as it is: it may be a translation, or the failure of a second try.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from xladoctor.diagnosis.own_source import source_of
from xladoctor.model.evidence import ErrorRecord, Frame, LogEvidence
from xladoctor.recording.run import Recording
from xladoctor.sources.names import walk

_CONTEXT = "During handling of the above exception"
_EXITS = frozenset({"__exit__", "__aexit__"})
_NEAR = 4
"""Lines between Python's sentence and the traceback below it."""


def first_error_first(log: LogEvidence, recording: Recording) -> LogEvidence:
    """The log in which an error that came up while cleaning up is not the one that ended the run."""
    records = list(log.records)
    errors = [i for i, record in enumerate(records) if record.level == "error"]
    for before, after in pairwise(errors):
        one, other = records[before], records[after]
        follows = other.ended_run and not one.ended_run and one.stream == other.stream and one.exception is not None
        if follows and any(_CONTEXT in line for line in other.before[-_NEAR:]) and _cleans(one, other, recording):
            records[before] = replace(one, ended_run=True)
            records[after] = replace(other, ended_run=False)
    return replace(log, records=tuple(records))


def _cleans(one: ErrorRecord, other: ErrorRecord, recording: Recording) -> bool:
    """Whether `other` was raised by code that cleans up where `one` was on its way."""
    if any(frame.function in _EXITS for frame in other.frames):
        return True
    for frame in other.frames:
        if not frame.user or frame.line is None:
            continue
        for guarded, final in _finals(frame, recording):
            on_its_way = [f.line or 0 for f in one.frames if f.file == frame.file]
            if frame.line in final and any(line in guarded for line in on_its_way):
                return True
    return False


def _finals(frame: Frame, recording: Recording) -> Iterator[tuple[range, range]]:
    """(lines that are guarded, lines of the `finally`) of each such statement in the file of a frame."""
    source = source_of(recording, frame.file)
    for node in walk(source.tree) if source is not None else ():
        if isinstance(node, ast.Try) and node.finalbody:
            first = node.finalbody[0].lineno
            yield range(node.lineno, first), range(first, (node.finalbody[-1].end_lineno or first) + 1)
