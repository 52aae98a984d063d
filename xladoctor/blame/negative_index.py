"""An index below 0: the line that takes off the first of several numbers, which need not be the smallest."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import walk

_BELOW = re.compile(r"(?:[Ii]ndex|indices\[[\d, ]{0,40}\]|=|\[) ?-\d{1,9}\b|-\d{1,9} is not in")


def of_negative_index(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if crash.slug not in OF_VALUES or not _BELOW.search(crash.message):
        return
    for file, tree in files.trees(f for f, _ in hops).items():
        found: list[Found] = []
        for node in walk(tree):
            first = _first_of(node)
            if first:
                reason = f"It takes off `{first}`, the first one: another that is smaller gets below 0."
                found.append((getattr(node, "lineno", 0), 8.6, reason))
        yield from conventions(file, found, hops)


def _first_of(node: ast.AST) -> str:
    """`places[:, :1]` of `places - places[:, :1]`, `x[0]` of `x - x[0]`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub) or not isinstance(node.right, ast.Subscript):
        return ""
    key = node.right.slice
    parts = key.elts if isinstance(key, ast.Tuple) else [key]
    ends = [p.upper if isinstance(p, ast.Slice) and p.lower is None else p for p in parts]
    takes_first = any(isinstance(e, ast.Constant) and e.value in (0, 1) for e in ends)
    same = ast.unparse(node.right.value) == ast.unparse(node.left)
    return ast.unparse(node.right) if same and takes_first else ""
