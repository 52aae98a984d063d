"""The line that takes a target from within its window: `x.append(s[i:stop])` beside `y.append(s[stop - 1])`.

The numbers of the run have shown that it is so; this only finds where.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping

from xladoctor.sources.names import assigned_once, nodes_of

Terms = Counter[str]
_DEEP = 6


def line_within(trees: Mapping[str, ast.Module]) -> tuple[str, int] | None:
    """(file, line) of the one place where an element is taken of what a slice beside it has taken, too."""
    found = {(file, line) for file, tree in trees.items() for scope in _scopes(tree) for line in _within(scope)}
    return next(iter(found)) if len(found) == 1 else None


def _scopes(tree: ast.Module) -> Iterator[ast.AST]:
    yield from nodes_of(tree, ast.FunctionDef)
    yield ast.Module([s for s in tree.body if not isinstance(s, ast.FunctionDef | ast.ClassDef)], [])


def _within(scope: ast.AST) -> Iterator[int]:
    known = assigned_once(scope)
    taken = [(ast.unparse(n.value), _first(n), n) for n in nodes_of(scope, ast.Subscript)]
    windows = [
        (of, _terms(at.lower, known), _terms(at.upper, known))
        for of, at, _ in taken
        if isinstance(at, ast.Slice) and at.lower is not None and at.upper is not None
    ]
    for of, at, node in taken:
        if isinstance(at, ast.Slice):
            continue
        one = _terms(at, known)
        for other, start, stop in windows:
            if of == other and one and start and stop and _apart(stop, one) and not _apart(start, one):
                yield node.lineno


def _first(node: ast.Subscript) -> ast.expr:
    return node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice


def _apart(right: Terms, left: Terms) -> bool:
    """Whether one place is later than another by a number, or by a name that is a count."""
    rest = Counter(right)
    rest.subtract(left)
    left_over = {name: n for name, n in rest.items() if n}
    return bool(left_over) and all(n > 0 for n in left_over.values())


def _terms(node: ast.expr | None, known: Mapping[str, ast.expr], deep: int = 0) -> Terms | None:
    """A sum of names and a number: {name: how often, "": the number}; None where it is something else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return Counter({"": node.value})
    if isinstance(node, ast.Name) and node.id in known and deep < _DEEP:
        inner = _terms(known[node.id], known, deep + 1)
        if inner is not None:
            return inner
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        left, right = _terms(node.left, known, deep), _terms(node.right, known, deep)
        if left is None or right is None:
            return None
        found = Counter(left)
        (found.update if isinstance(node.op, ast.Add) else found.subtract)(right)
        return found
    return Counter({ast.unparse(node): 1}) if isinstance(node, ast.Name | ast.Attribute) else None
