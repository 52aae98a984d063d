"""Where a program asks whether a value is finite: the sign that it reckons with NaN and acts on it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import walk

_ASKS = frozenset({"isfinite", "isnan", "isinf", "is_finite", "is_nan", "is_inf", "is_non_finite"})
"""`isna` and the like are left out: they are asked of data."""
_SKIPS = frozenset({"nanargmin", "nanargmax", "nanmin", "nanmax", "nanmedian"})
_STOPS = frozenset({"TerminateOnNaN"})
"""What Keras has for it."""


def where_nan_is_tested(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, name) of each place where a value is tested for NaN or infinity and something depends on the answer."""
    found = {place for node in walk(tree) for place in _called(node, _STOPS | _SKIPS)}
    for part in _deciding(tree):
        for node in walk(part):
            found |= set(_called(node, _ASKS))
            if isinstance(node, ast.Compare) and _differs_from_itself(node):
                found.add((node.lineno, "x != x"))
    return sorted(found)


def _deciding(tree: ast.Module) -> Iterator[ast.AST]:
    """The expressions on which a branch, a loop, a filter, a choice or a returned answer depends."""
    for node in walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test
        elif isinstance(node, ast.comprehension):
            yield from node.ifs
        elif isinstance(node, ast.Subscript):
            yield node.slice
        elif isinstance(node, ast.BoolOp):
            yield from node.values
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.Return) and node.value is not None:
            yield node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            if _last(node.func) in ("where", "cond", "filter", "select", "sum", "any", "all"):
                yield node
        elif isinstance(node, ast.Lambda):
            yield node.body


def _called(node: ast.AST, names: frozenset[str]) -> Iterator[tuple[int, str]]:
    name = _last(node.func) if isinstance(node, ast.Call) else None
    if isinstance(node, ast.Call) and name in names:
        yield node.lineno, str(name)


def _last(expression: ast.AST) -> str | None:
    if isinstance(expression, ast.Attribute):
        return expression.attr
    return expression.id if isinstance(expression, ast.Name) else None


def _differs_from_itself(node: ast.Compare) -> bool:
    one_other = len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq)
    return one_other and ast.dump(node.left) == ast.dump(node.comparators[0])
