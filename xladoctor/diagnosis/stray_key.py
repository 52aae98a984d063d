"""A key of a dict of targets that the model does not have: the line that writes it is the first to suspect."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording.run import Recording
from xladoctor.sources.names import nodes_of, walk


def with_stray_key(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that line as the first suspect, where the program writes the key in one place only."""
    root = diagnosis.root
    key = root.details.get("stray") if root is not None else None
    if root is None or root.slug != "wrong-input-key" or not isinstance(key, str):
        return diagnosis
    raised = root.raised_at or root.location
    trees = program_of(recording, *([raised.file] if raised is not None else []))
    written = {(file, line) for file, tree in trees.items() for line in _displays(tree, key)}
    stored = {(file, line) for file, tree in trees.items() for line in _stores(tree, key)}
    # What is given to Keras is nearly always written as a dict; what is stored by name may be a column of a table.
    places = written or stored
    if len(places) != 1:
        return diagnosis
    suspect = suspect_at(recording, *places.pop(), f"The key {key!r} is written here.")
    return with_first_suspect(diagnosis, root, suspect, ())


def _displays(tree: ast.Module, key: str) -> Iterator[int]:
    """The lines of `{key: ...}` and `dict(key=...)`."""
    for node in walk(tree):
        if isinstance(node, ast.Dict):
            yield from (k.lineno for k in node.keys if isinstance(k, ast.Constant) and k.value == key)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            yield from (word.value.lineno for word in node.keywords if word.arg == key)


def _stores(tree: ast.Module, key: str) -> Iterator[int]:
    """The lines of `x[key] = ...`."""
    for node in nodes_of(tree, ast.Subscript):
        if isinstance(node.ctx, ast.Store) and isinstance(node.slice, ast.Constant):
            yield from [node.lineno] if node.slice.value == key else []
