"""Indices that cannot be right: below 0, because the first of several numbers was taken off, which need not be the
smallest; or rows where columns are meant, because the largest was looked for along the rows.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.indices import OF_VALUES
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import keyword, last_name, names_in, nodes_of, walk

_BELOW = re.compile(r"(?:[Ii]ndex|indices\[[\d, ]{0,40}\]|=|\[) ?-\d{1,9}\b|-\d{1,9} is not in")


def of_odd_indices(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if crash.slug not in OF_VALUES:
        return
    below = _BELOW.search(crash.message) is not None
    trees = files.trees(f for f, _ in hops)
    indices = _taken(trees.get(crash.at.file), crash.at.line) if crash.at is not None else set()
    for file, tree in trees.items():
        found: list[Found] = []
        for node in walk(tree):
            first = _first_of(node) if below else ""
            if first:
                reason = f"It takes off `{first}`, the first one: another that is smaller gets below 0."
                found.append((getattr(node, "lineno", 0), 8.6, reason))
            elif isinstance(node, ast.Assign) and _is_along_rows(node, indices):
                reason = "It looks along the rows (axis 0): what it gives are numbers of rows."
                found.append((node.lineno, 8.6, reason))
        yield from conventions(file, found, hops)


def _taken(tree: ast.Module | None, line: int) -> set[str]:
    """The names in the indices of a line behind the first axis: `picked` of `rated[np.arange(n), picked]`."""
    subscripts = (
        [n for n in walk(tree) if isinstance(n, ast.Subscript) and n.lineno == line] if tree is not None else []
    )
    keys = [n.slice.elts[1:] for n in subscripts if isinstance(n.slice, ast.Tuple)]
    return {name for parts in keys for part in parts for name in names_in(part)}


_LARGEST = frozenset({"argmax", "argmin", "argsort", "nanargmax"})


def _is_along_rows(made: ast.Assign, indices: set[str]) -> bool:
    """`picked = np.argmax(scores, axis=0)`, where `picked` is such an index."""
    targets = {name for t in made.targets for name in names_in(t)}
    calls = (c for c in nodes_of(made.value, ast.Call) if last_name(c.func) in _LARGEST)
    axes = (keyword(c, "axis") or (c.args[1] if len(c.args) > 1 else None) for c in calls)
    return bool(targets & indices) and any(isinstance(a, ast.Constant) and a.value == 0 for a in axes)


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
