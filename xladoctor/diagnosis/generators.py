"""An element of a generator that its signature does not allow: the call that joined the two is the first to suspect."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.first_suspect import suspect_at, with_first_suspect
from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Diagnosis, Remedy
from xladoctor.recording.run import Recording
from xladoctor.sources.names import nodes_of

_MAKER = "from_generator"


def with_generator(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that call as the first suspect, where the program has one only."""
    root = diagnosis.root
    shapes = root.details.get("generator") if root is not None else None
    if root is None or not isinstance(shapes, dict):
        return diagnosis
    raised = root.raised_at or root.location
    trees = program_of(recording, *([raised.file] if raised is not None else []))
    calls = [(file, line) for file, tree in trees.items() for line in _calls(tree)]
    if len(calls) != 1:
        return diagnosis
    known = root.suspects[0] if root.suspects and root.location != root.raised_at else None
    if known is not None and known.specific and "yield" not in known.code:
        # Something else speaks against a line than that it yields what the signature does not allow.
        return diagnosis.with_finding(root, replace(root, remedies=(*_remedies(shapes), *root.remedies)))
    suspect = suspect_at(recording, *calls[0], "Here the generator was given its signature.")
    return with_first_suspect(diagnosis, root, suspect, tuple(_remedies(shapes)))


def _calls(tree: ast.Module) -> Iterator[int]:
    """The lines of a file that call `from_generator`."""
    for node in nodes_of(tree, ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr == _MAKER:
            yield node.lineno


def _remedies(shapes: dict[str, list[int | None]]) -> Iterator[Remedy]:
    given, promised = shapes.get("given") or [], shapes.get("promised") or []
    axes = [i for i, (a, b) in enumerate(zip(given, promised, strict=False)) if a != b]
    if len(given) == len(promised) and len(axes) == 1:
        axis = axes[0]
        yield Remedy(
            "open-axis",
            f"Declare None for axis {axis} of the signature: an element has {given[axis]} there, not {promised[axis]}",
            "safe",
            "Elements of different sizes need `padded_batch` instead of `batch`. If all should have "
            f"{promised[axis]}, correct the generator instead.",
        )
