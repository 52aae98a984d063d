"""Which of two lines of a program is run first, and in what they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from xladoctor.sources.names import nodes_of, walk

Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = Function
_LOOPS = ast.For | ast.While | ast.AsyncFor
_AROUND = _FUNCTIONS | ast.Lambda | ast.For | ast.While | ast.AsyncFor


def runs_before(tree: ast.Module, line: int, other: int) -> bool:
    """Whether a line is always run before a later one: both stand in one function, and in no loop together."""
    if line >= other:
        return False
    around = [n for n in walk(tree) if isinstance(n, _AROUND)]
    first, second = ({id(n) for n in around if n.lineno <= at <= (n.end_lineno or n.lineno)} for at in (line, other))
    loops = {id(n) for n in around if isinstance(n, _LOOPS)}
    return first - loops == second - loops and not first & second & loops


def scope_at(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around a line; the module where there is none."""
    return innermost((n for n in walk(tree) if isinstance(n, _FUNCTIONS)), line) or tree


def innermost(functions: Iterable[Function], line: int) -> Function | None:
    """The innermost of these functions around a line."""
    inside = (n for n in functions if n.lineno <= line <= (n.end_lineno or n.lineno))
    return max(inside, key=lambda n: n.lineno, default=None)


def statement_end(tree: ast.Module, line: int) -> int:
    """The last line of the innermost statement at a line."""
    ends = [
        (n.lineno, n.end_lineno or n.lineno)
        for n in nodes_of(tree, ast.stmt)
        if n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    return max(ends)[1] if ends else line


def called_at(node: ast.AST | None, otherwise: int) -> int:
    """The line of a call: of a method in a chain over several lines the one where its name stands, and not where the
    chain begins. `otherwise` where there is no call.
    """
    if isinstance(node, ast.Call) and node.func.end_lineno is not None:
        return node.func.end_lineno
    line: int = getattr(node, "lineno", otherwise)
    return line
