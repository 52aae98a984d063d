"""A file that is missing: the line that writes its name is the first to suspect, wherever it is opened."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePath

from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording.run import Recording
from xladoctor.sources.names import nodes_of

_KIND = "FileNotFoundError"
_NAMED = re.compile(r": '([^'\n]{1,1000})'$")


def with_missing_file(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that line as the first suspect, where the program writes the name in one place only."""
    root = diagnosis.root
    raised = (root.raised_at or root.location) if root is not None else None
    if root is None or raised is None or root.details.get("kind") != _KIND:
        return diagnosis
    named = [found for proof in root.evidence if (found := _NAMED.search(proof.text.strip()))]
    if not named:
        return diagnosis
    path = PurePath(named[0][1])
    trees = program_of(recording, raised.file)
    places = {(file, line) for file, tree in trees.items() for line in _written(tree, path)}
    if len(places) != 1 or (raised.file, raised.line) in places:
        return diagnosis
    suspect = suspect_at(recording, *places.pop(), f"The name {path.name!r} is written here.")
    return with_first_suspect(diagnosis, root, suspect, ())


def _written(tree: ast.Module, path: PurePath) -> Iterator[int]:
    """The lines of texts that are the last parts of the path."""
    for node in nodes_of(tree, ast.Constant):
        if isinstance(node.value, str):
            parts = PurePath(node.value).parts
            if parts and path.parts[-len(parts) :] == parts:
                yield node.lineno
