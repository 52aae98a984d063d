"""A size that is None, at the line that read it from a shape: the line that failed only uses its name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.first_suspect import suspect_at
from xladoctor.diagnosis.own_source import source_of
from xladoctor.model.diagnosis import Diagnosis
from xladoctor.recording.run import Recording
from xladoctor.sources.names import nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, assigns

SLUG = "unknown-size"


def with_none_size(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that line as the first to suspect, where the function has it."""
    root = diagnosis.root
    at, axis = (root.location, root.details.get("axis")) if root is not None else (None, None)
    if root is None or root.slug != SLUG or at is None or at.line is None or not isinstance(axis, int):
        return diagnosis
    source = source_of(recording, at.file)
    read = read_at(source.tree, at.line, axis) if source is not None else None
    if read is None or read == at.line:
        return diagnosis
    suspect = suspect_at(recording, at.file, read, "It reads a size while the graph is made, and that is None there.")
    known = tuple(s for s in root.suspects if s.location != suspect.location)
    found = replace(root, location=suspect.location, raised_at=root.raised_at or at, suspects=(suspect, *known))
    return diagnosis.with_finding(root, found)


def read_at(tree: ast.Module, line: int, axis: int) -> int | None:
    """The line that reads the size which a list of sizes at a line has in one place."""
    for scope in (n for n in walk(tree) if isinstance(n, FUNCTIONS) and n.lineno <= line <= (n.end_lineno or 0)):
        for sizes in (n for n in walk(scope) if isinstance(n, ast.List | ast.Tuple) and n.lineno == line):
            size = sizes.elts[axis] if isinstance(sizes.ctx, ast.Load) and axis < len(sizes.elts) else None
            if isinstance(size, ast.Name):
                given = [(at, value) for name, value, at in _given(scope) if name == size.id and at < line]
                last = max(given, key=lambda g: g[0], default=None)
                return last[0] if last is not None and _of_shape(last[1]) else None
    return None


def _given(scope: ast.AST) -> Iterator[tuple[str, ast.expr, int]]:
    for target, value, line in assigns(scope):
        several = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        alike = isinstance(value, ast.Tuple) and len(value.elts) == len(several)
        each = value.elts if alike and isinstance(value, ast.Tuple) else [value] * len(several)
        yield from ((t.id, v, line) for t, v in zip(several, each, strict=True) if isinstance(t, ast.Name))


def _of_shape(value: ast.expr) -> bool:
    """`x.shape[0]`, and `x.shape` that is taken apart; `tf.shape(x)` has the numbers of each call."""
    called = {id(n.func) for n in nodes_of(value, ast.Call)}
    return any(isinstance(n, ast.Attribute) and n.attr == "shape" and id(n) not in called for n in walk(value))
