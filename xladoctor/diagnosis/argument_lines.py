"""A finding about one argument of a call that is written over several lines: its place is the line of the argument."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace

from xladoctor.diagnosis.own_source import source_of
from xladoctor.model.diagnosis import Diagnosis, Finding, Location
from xladoctor.recording.run import Recording
from xladoctor.sources.names import nodes_of

_ARGUMENTS: Mapping[str, tuple[str, ...]] = {
    "in-window": ("targets", "y"),
    "by-count": ("class_weight", "sample_weight"),
    "dealt": ("class_weight", "sample_weight"),
    "no-class": ("class_weight",),
    "schedule": ("decay_steps", "boundaries", "first_decay_steps", "decay_rate"),
    "shuffled": ("shuffle",),
}
"""By kind of a finding: the arguments that it is about, the first that is given."""


def with_argument_lines(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with the lines of arguments in the places of the calls that they are given in."""
    for finding in diagnosis.findings:
        at = finding.location
        names = _ARGUMENTS.get(str(finding.details.get("kind")), ())
        source = source_of(recording, at.file) if at is not None and names else None
        line = _line(source.tree, at, names) if source is not None and at is not None else None
        if line is not None and at is not None:
            moved: Finding = replace(finding, location=replace(at, line=line))
            diagnosis = diagnosis.with_finding(finding, moved)
    return diagnosis


def _line(tree: ast.AST, at: Location, names: tuple[str, ...]) -> int | None:
    """The line of the first of these arguments in the calls that begin at a place."""
    calls = [node for node in nodes_of(tree, ast.Call) if node.lineno == at.line]
    given = {k.arg: k.value.lineno for call in calls for k in call.keywords if k.arg in names}
    return next((given[name] for name in names if name in given), None)
