"""What a second run saw after each line (`retrace.json`): shapes to follow, and where each size came up first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from xladoctor.blame.crash import Crash, Sizes, crash_of
from xladoctor.blame.suspicion import Candidate
from xladoctor.model.diagnosis import Diagnosis, Proof
from xladoctor.model.shapes import python_shape
from xladoctor.recording.run import Event, ShapeAfter
from xladoctor.recording.schema import schema
from xladoctor.sources.files import Files

After = Mapping[tuple[str, int, str], Sizes]
"""By file, line and name: the shape that the name has after the line, where it always has the same."""
_MOST = 3
_FIRST = 4.0
"""The weight of the line after which a shape of the message first came up."""


def after(rows: Sequence[ShapeAfter]) -> After:
    """The shapes that are the only ones of their name after their line."""
    found: dict[tuple[str, int, str], Sizes | None] = {}
    for row in rows:
        key = (row.file, row.line, row.name)
        found[key] = row.shape if found.get(key, row.shape) == row.shape else None
    return {key: shape for key, shape in found.items() if shape is not None}


def of_first_shapes(crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines that first gave a name one of the shapes that the message prints."""
    for shape in dict.fromkeys(crash.shapes):
        row = next((row for row in crash.seen.rows if _has(row.shape, shape) and not _defines(row, files)), None)
        if row is not None:
            reason = (
                f"In a second run, `{row.name}` has the shape {python_shape(shape)} after it, the first to have it."
            )
            yield Candidate(row.file, row.line, _FIRST, reason, None, "other", strong=True)


def _has(shape: Sizes, wanted: Sizes) -> bool:
    """Whether a shape is the wanted one, with or without an axis for the batch."""
    return any(n is not None and n > 1 for n in wanted) and wanted in (shape, shape[1:])


def _defines(row: ShapeAfter, files: Files) -> bool:
    return files.code(row.file, row.line).lstrip().startswith(("def ", "async ", "@"))


def with_first_seen(diagnosis: Diagnosis, failure: Event | None, rows: Sequence[ShapeAfter]) -> Diagnosis:
    """The root with the lines after which the sizes that disagree were first seen, as evidence."""
    root = diagnosis.root
    if root is None or not rows:
        return diagnosis
    seen = tuple(_first_seen(rows, crash_of(root, failure).sizes))
    return diagnosis.with_finding(root, replace(root, evidence=(*root.evidence, *seen))) if seen else diagnosis


def _first_seen(rows: Sequence[ShapeAfter], sizes: Sequence[int]) -> Iterator[Proof]:
    for size in [n for n in dict.fromkeys(sizes) if n > 1][:_MOST]:
        first = next((row for row in rows if size in row.shape), None)
        if first is not None:
            said = f"In a second run, {size} is first a size of `{first.name}`, which is {python_shape(first.shape)}"
            yield Proof("rehearsal", f"{said} {first.dtype} after {first.file}:{first.line}", schema.RETRACE_FILE)
