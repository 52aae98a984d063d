"""An element of a generator that its signature does not allow: the call that joined the two is the first to suspect."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from xladoctor.diagnosis.first_suspect import with_first_suspect
from xladoctor.diagnosis.handling import program_trees
from xladoctor.diagnosis.own_source import source_of
from xladoctor.model.blame import Suspect
from xladoctor.model.diagnosis import Diagnosis, Location, Remedy
from xladoctor.recording.run import Recording

_MAKER = "from_generator"


def with_generator(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that call as the first suspect, where the program has one only."""
    root = diagnosis.root
    shapes = root.details.get("generator") if root is not None else None
    if root is None or root.slug != "callback-error" or not isinstance(shapes, dict):
        return diagnosis
    raised = root.raised_at or root.location
    calls = list(_calls(recording, (Path(raised.file),) if raised is not None else ()))
    if len(calls) != 1:
        return diagnosis
    file, line, function = calls[0]
    source = source_of(recording, str(file))
    code = source.line(line) if source is not None else ""
    suspect = Suspect(
        Location(str(file), line, function), code, "Here the generator was joined with its signature.", "likely"
    )
    return with_first_suspect(diagnosis, root, suspect, tuple(_remedies(shapes)))


def _calls(recording: Recording, files: tuple[Path, ...]) -> Iterator[tuple[Path, int, str]]:
    """(file, line, function) of each call of `from_generator` in the scripts, these files, and what they import."""
    for file, tree in program_trees(recording, files):
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == _MAKER:
                inside = [f for f in functions if f.lineno <= node.lineno <= (f.end_lineno or 0)]
                yield file, node.lineno, inside[-1].name if inside else "<module>"


def _remedies(shapes: dict[str, list[int | None]]) -> Iterator[Remedy]:
    given, promised = shapes.get("given") or [], shapes.get("promised") or []
    axes = [i for i, (a, b) in enumerate(zip(given, promised, strict=False)) if a != b]
    if len(given) == len(promised) and len(axes) == 1:
        axis = axes[0]
        yield Remedy(
            "open-axis",
            f"Declare None for axis {axis} of the signature: an element has {given[axis]} there, not {promised[axis]}",
            "safe",
            "Elements of different sizes need `padded_batch` in place of `batch`. If all should have "
            f"{promised[axis]}, correct the generator instead.",
        )
