"""A value with fewer axes whose first ones are those of the other: arrays meet from the last axis on, so that it needs
further axes of 1 behind.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.suspicion import Candidate, chain
from xladoctor.blame.values import Array, Clash
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, walk

_MAKES = frozenset(
    {
        "uniform",
        "random_uniform",
        "normal",
        "random_normal",
        "random",
        "zeros",
        "ones",
        "full",
        "fill",
        "reshape",
        "constant",
    }
)
_FAR = 8


def of_leading_axes(clash: Clash | None, crash: Crash, files: Files) -> Iterator[Candidate]:
    """The nearest line that sets the axes of the shorter value."""
    if clash is None or crash.slug != "broadcast-mismatch" or len(clash.values) < 2:
        return
    values = [v for v in clash.values[:2] if isinstance(v, Array) and v.dims is not None]
    if len(values) != 2:
        return
    short, long = sorted(values, key=lambda v: len(v.sizes))
    if not _leads(short.sizes, long.sizes):
        return
    shape = ", ".join(str(n) if n is not None else "?" for n in short.sizes)
    for origin, _ in chain(short.origin, _FAR):
        if origin.file and _sets_axes(files, (origin.file, origin.line)):
            reason = f"It makes ({shape}), whose first axes are those of the other value: they meet the last ones."
            yield Candidate(origin.file, origin.line, 8.6, reason, None, "expand", True)
            return


def _leads(short: Sizes, long: Sizes) -> bool:
    """Whether the first axes of the shorter are those of the longer, or 1, and its last ones do not fit."""
    if not 0 < len(short) < len(long) or short[0] in (None, 1) or short[0] != long[0]:
        return False
    leads = all(a == b or a == 1 for a, b in zip(short, long, strict=False))
    behind = zip(reversed(short), reversed(long), strict=False)
    return leads and any(a is not None and b is not None and a != b and 1 not in (a, b) for a, b in behind)


def _sets_axes(files: Files, line: Line) -> bool:
    """Whether a line writes how many axes there are: a shape, `x[:, None]`, `expand_dims`, `keepdims=True`."""
    source = files.source(line[0])
    for node in walk(source.tree) if source is not None else ():
        if getattr(node, "lineno", 0) != line[1]:
            continue
        if isinstance(node, ast.Subscript) and any(_is_new(n) for n in walk(node.slice)):
            return True
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple | ast.List):
            return True
        if isinstance(node, ast.Call):
            shapes: list[ast.expr] = [a for a in node.args if isinstance(a, ast.Tuple | ast.List)]
            shapes += [k.value for k in node.keywords if k.arg in ("shape", "size")]
            if (last_name(node.func) in _MAKES and shapes) or last_name(node.func) == "expand_dims":
                return True
            if keyword(node, "keepdims") is not None:
                return True
    return False


def _is_new(node: ast.AST) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or last_name(node) == "newaxis"
