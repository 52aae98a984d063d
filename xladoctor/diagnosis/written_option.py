"""The line on which a program writes an option of a call: as its keyword, or in a dict that the call is given."""

from __future__ import annotations

import ast

from xladoctor.diagnosis.own_source import files_of, program_of, source_of
from xladoctor.model.diagnosis import Location
from xladoctor.recording.run import Recording
from xladoctor.sources.names import keyword, nodes_of, text_key, walk


def written_at(recording: Recording, at: Location | None, name: str) -> Location | None:
    """Where the call at a line gets the option `name`; the line itself where the source does not tell."""
    source = source_of(recording, at.file) if at is not None and at.line else None
    if at is None or source is None:
        return at
    for node in nodes_of(source.tree, ast.Call):
        if not node.lineno <= (at.line or 0) <= (node.end_lineno or node.lineno):
            continue
        direct = keyword(node, name)
        if direct is not None:
            key = text_key(direct)
            return (_entry(recording, at.file, key) if key else None) or _place(recording, at.file, direct.lineno)
        given = next((k.value for k in node.keywords if k.arg is None), None)
        if given is not None:
            return _entry(recording, at.file, name) or _place(recording, at.file, given.lineno)
    return at


def _entry(recording: Recording, file: str, key: str) -> Location | None:
    """The one entry of a dict in the program that has a key, or one call's keyword of that name in `dict(...)`."""
    found: list[Location] = []
    for name, tree in program_of(recording, file).items():
        for node in walk(tree):
            if isinstance(node, ast.Dict):
                pairs = zip(node.keys, node.values, strict=True)
                lines = [v.lineno for k, v in pairs if isinstance(k, ast.Constant) and k.value == key]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
                lines = [k.value.lineno for k in node.keywords if k.arg == key]
            else:
                continue
            found += [_place(recording, name, line) for line in lines]
    return found[0] if len(found) == 1 else None


def _place(recording: Recording, file: str, line: int) -> Location:
    return Location(file, line, files_of(recording).function(file, line))
