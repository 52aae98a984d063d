"""A failure in code that a switch chose which was set too late: the line that set it is the first to suspect."""

from __future__ import annotations

import ast

from xladoctor.diagnosis.first_suspect import with_first_suspect
from xladoctor.diagnosis.own_source import files_of, source_of
from xladoctor.diagnosis.own_switches import LateSwitch, late_switches
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Location
from xladoctor.recording.run import Recording
from xladoctor.rules import OUTSIDE
from xladoctor.sources.names import names_in, nodes_of, walk
from xladoctor.sources.source import Source


def with_late_switch(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that line as the first suspect, where what decides by the switch names the function in which
    the failing line stands, or stands in it.
    """
    root = diagnosis.root
    if root is None or root.level != "error" or root.location is None or root.slug in OUTSIDE:
        return diagnosis
    failing = root.raised_at or root.location
    for switch in late_switches(recording):
        source = source_of(recording, switch.file)
        if source is None or not _chooses(source, switch, failing):
            continue
        code = files_of(recording).code(switch.written.file, switch.written.line or 0)
        suspect = Suspect(switch.written, code, switch.finding.message, "likely")
        return with_first_suspect(diagnosis, root, suspect, switch.finding.remedies)
    return diagnosis


def _chooses(source: Source, switch: LateSwitch, failing: Location) -> bool:
    """Whether a statement that decides by the switch names the function of the failing line, or is a part of it."""
    if failing.file != source.path or not failing.function:
        return False
    function = failing.function.rpartition(".")[2]
    for node in walk(source.tree):
        if isinstance(node, ast.stmt) and node.lineno in switch.decides:
            named = names_in(node)
            named |= {n.attr for n in nodes_of(node, ast.Attribute)}
            if function in named:
                return True
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == function:
            inside = range(node.lineno, (node.end_lineno or 0) + 1)
            return any(line in inside for line in switch.decides)
    return False
