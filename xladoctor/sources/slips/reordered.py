"""Rows that are taken by an order, beside others that are taken by place: `x[order[a:b]]` with `y[a:b]`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import dotted, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip, scopes, within_body

_MIXES = frozenset({"permutation", "permuted", "shuffle", "argsort", "random_sample", "choice", "sample"})
_DRAWS = frozenset({"normal", "uniform", "standard_normal", "random", "integers", "randint", "zeros", "empty"})


def reordered(tree: ast.Module) -> Iterator[Slip]:
    """Each line that takes rows by place, while others of the function are taken by a part of a mixed order."""
    mixed, drawn = _mixed(tree)
    if not mixed:
        return
    moved = {dotted(t) for n in nodes_of(tree, ast.Assign) if _by_order(n.value, mixed) for t in n.targets}
    for scope in scopes(tree):
        yield from _of_scope(scope, mixed, drawn | moved)


def _mixed(tree: ast.Module) -> tuple[set[str | None], set[str | None]]:
    """The names that hold a mixed order, and those that hold draws or nothing yet."""
    mixed, drawn = set[str | None](), set[str | None]()
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            name = last_name(node.value.func)
            targets = {dotted(t) for t in node.targets} - {None}
            mixed |= targets if name in _MIXES else set()
            drawn |= targets if name in _DRAWS else set()
        elif isinstance(node, ast.Call) and last_name(node.func) == "shuffle" and node.args:
            mixed |= {dotted(node.args[0])} - {None}
    return mixed, drawn


def _by_order(value: ast.expr, mixed: set[str | None]) -> bool:
    """Whether a value is `x[order]`."""
    return any(isinstance(n, ast.Subscript) and dotted(n.slice) in mixed for n in walk(value))


def _of_scope(scope: ast.AST, mixed: set[str | None], apart: set[str | None]) -> Iterator[Slip]:
    """`part = order[a:b]`, then `x[part]` and `y[a:b]`."""
    items = [n for n in within_body(scope) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)]
    parts = {
        t.id: ast.unparse(n.value.slice)
        for n in within_body(scope)
        if isinstance(n, ast.Assign) and isinstance(n.value, ast.Subscript) and dotted(n.value.value) in mixed
        for t in n.targets
        if isinstance(t, ast.Name) and isinstance(n.value.slice, ast.Slice)
    }
    for one in items:
        own = one.slice.value if isinstance(one.slice, ast.Subscript) else one.slice
        taken = ast.unparse(one.slice.slice) if isinstance(one.slice, ast.Subscript) else parts.get(dotted(own) or "")
        if taken is None or (isinstance(one.slice, ast.Subscript) and dotted(own) not in mixed):
            continue
        for other in items:
            name = dotted(other.value)
            by_place = isinstance(other.slice, ast.Slice) and ast.unparse(other.slice) == taken
            if by_place and name is not None and name not in mixed | apart and name != dotted(one.value):
                yield Slip(
                    "one-reordered",
                    other.lineno,
                    f"`{ast.unparse(other)[:40]}` is taken by place, and `{ast.unparse(one)[:40]}` by a mixed order",
                    "Both take the same part, but one of them through an order that was mixed. So each row meets what "
                    "belongs to another one.",
                )
                return
