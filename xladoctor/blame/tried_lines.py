"""The lines whose edits are tried for a broken constraint."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from xladoctor.blame import variants
from xladoctor.blame.bindings import Line
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Array, Clash
from xladoctor.sources.files import Files
from xladoctor.sources.names import walk

_NEAR = 8


def lines_of(clash: Clash, found: Sequence[Candidate], files: Files) -> list[Line]:
    """The lines whose edits are tried: suspects, what the sizes and the values came through, the calls."""
    lines = [(c.file, c.line) for c in found]
    for side in clash.sides:
        lines += [(o.file, o.line) for o, _ in chain(side.origin, _NEAR)]
    for value in clash.values[:2]:
        lines += [(o.file, o.line) for o, _ in chain(value.origin, 4)]
        if isinstance(value, Array):
            lines += [(o.file, o.line) for o in value.aliases]
    lines += reversed(clash.stack)
    lines += [line for at in dict.fromkeys(lines) for line in _decided(at, files)]
    lines += [line for at in clash.stack[-1:] for line in _tests(at, files)]
    return list(dict.fromkeys(lines))


def _decided(at: Line, files: Files) -> Iterator[Line]:
    """The lines that give the names of a line, in the same function: a test that was given a name, a count."""
    file, line = at
    source, function = files.source(file), files.function(file, line)
    for node in variants.nodes_at(source.tree, {line}) if source is not None else ():
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from ((file, n) for n in files.assigned(file, function or "<module>", node.id))


def _tests(at: Line, files: Files) -> Iterator[Line]:
    """The tests of the function that a line stands in, and the lines that give their names."""
    file, line = at
    source, function = files.source(file), files.function(file, line)
    if source is None or function == "<module>":
        return
    for node in walk(source.tree):
        if isinstance(node, ast.If | ast.IfExp) and files.function(file, node.lineno) == function:
            yield file, node.test.lineno
            yield from _decided((file, node.test.lineno), files)
