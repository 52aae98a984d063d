"""Which two operands made the array that a mean is taken of: followed back through the names of a function.

Only what is written out as an operation of two different things is found, and nothing where an axis was given on
purpose (`p[:, None] - p`), or both are made of one thing.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.held import View
from xladoctor.sources.names import names_in, walk
from xladoctor.sources.order import scope_at

_MEANS = frozenset({"mean", "nanmean", "average", "std", "var", "nanstd", "nanvar"})
_SUMS = frozenset({"sum", "nansum", "count_nonzero"})
_MODULES = frozenset({"np", "numpy"})
_GIVEN = ("None", "newaxis", "expand_dims", "reshape", ".T", "transpose", "outer", "@", "dot(", "cdist", "matmul(",
          "meshgrid", "einsum")  # fmt: skip
"""What stands in an expression that makes a table of pairs on purpose."""
_MEETS = (ast.Sub, ast.Mult, ast.Div)
_NOT_NEGATIVE = ("square", "abs", "absolute")
_DEPTH = 4


@dataclass(frozen=True)
class Meeting:
    """An operation of two operands: its line and its text."""

    line: int
    text: str


def met(tree: ast.Module, line: int, of: str = "mean", inside: bool = False) -> Meeting | None:
    """The operation whose result the mean or sum at a line is taken of; the innermost one where there are several.
    `inside`: look into the functions whose results these are, too.
    """
    scope = scope_at(tree, line)
    functions = {n.name: n for n in walk(tree) if isinstance(n, ast.FunctionDef)}
    for call in _means(scope, line, _SUMS if of == "sum" else _MEANS):
        taken = _taken(call)
        found = list(_meetings(taken, scope, line, _DEPTH)) if taken is not None else []
        if not found and taken is not None and inside:
            found = list(_returned(taken, scope, line, functions))
            scope = scope_at(tree, found[-1].lineno) if found else scope
        if found:
            chosen = found[-1]
            return None if _meant(chosen, scope) else Meeting(chosen.lineno, ast.unparse(chosen)[:80])
    return None


def broadcast(view: View, rows: int) -> Iterator[Meeting]:
    """The operations of a file whose operands held (rows, 1) and (rows,)."""
    for node in walk(view.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, _MEETS):
            sides = [node.left, node.right]
        elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
            sides = [node.left, node.comparators[0]]
        else:
            continue
        if {view.shape(side) for side in sides} == {(rows, 1), (rows,)}:
            yield Meeting(node.lineno, ast.unparse(node)[:80])


def squared(tree: ast.Module, line: int) -> Meeting | None:
    """The square of which the mean at a line is taken: `x ** 2`, `x * x`, `np.square(x)`, or `np.abs(x)`; None where
    another mean is taken there, too.
    """
    scope = scope_at(tree, line)
    found = []
    for call in _means(scope, line):
        node = _taken(call)
        for _ in range(_DEPTH):
            if isinstance(node, ast.Name):
                node = _value(node.id, scope, node.lineno)
        if node is None or not _is_square(node):
            return None
        found.append(Meeting(node.lineno, ast.unparse(node)[:80]))
    return found[0] if found else None


def _is_square(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        power = getattr(node.right, "value", None)
        return isinstance(power, int) and power % 2 == 0
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.Mult) and ast.dump(node.left) == ast.dump(node.right)
    return isinstance(node, ast.Call) and _name(node.func) in _NOT_NEGATIVE


def _means(scope: ast.AST, line: int, names: Collection[str] = _MEANS) -> list[ast.Call]:
    calls = [
        n
        for n in ast.walk(scope)
        if isinstance(n, ast.Call) and _name(n.func) in names and n.lineno <= line <= (n.end_lineno or n.lineno)
    ]
    return sorted(calls, key=lambda n: (line - n.lineno, n.col_offset))


def _name(function: ast.expr) -> str | None:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else None


def _taken(call: ast.Call) -> ast.expr | None:
    """What a mean is taken of: the argument of a function, the object of a method."""
    function = call.func
    if isinstance(function, ast.Attribute) and not (
        isinstance(function.value, ast.Name) and function.value.id in _MODULES
    ):
        return function.value
    return call.args[0] if call.args else None


def _meetings(node: ast.expr, scope: ast.AST, line: int, depth: int) -> Iterator[ast.BinOp | ast.Compare]:
    """The operations on the way to an expression, the outermost first."""
    if isinstance(node, ast.Name) and depth:
        value = _value(node.id, scope, line)
        if value is not None:
            yield from _meetings(value, scope, value.lineno, depth - 1)
    elif isinstance(node, ast.Compare) and len(node.comparators) == 1:
        if not any(isinstance(n, ast.Constant) for n in (node.left, node.comparators[0])):
            yield node
    elif isinstance(node, ast.BinOp):
        sides = [n for n in (node.left, node.right) if not isinstance(n, ast.Constant)]
        if isinstance(node.op, _MEETS) and len(sides) == 2 and ast.dump(sides[0]) != ast.dump(sides[1]):
            yield node
        for side in sides:
            if not isinstance(side, ast.Name) or len(sides) == 1 or ast.dump(sides[0]) == ast.dump(sides[-1]):
                yield from _meetings(side, scope, line, depth)
    elif isinstance(node, ast.UnaryOp):
        yield from _meetings(node.operand, scope, line, depth)
    elif isinstance(node, ast.Call):
        given = [*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])]
        for argument in given:
            if not (isinstance(argument, ast.Name) and argument.id in _MODULES):
                yield from _meetings(argument, scope, line, depth)


def _returned(
    node: ast.expr, scope: ast.AST, line: int, functions: Mapping[str, ast.FunctionDef]
) -> Iterator[ast.BinOp | ast.Compare]:
    """The operations on the way to what a function of the program returns, where an expression is such a result."""
    if isinstance(node, ast.Name):
        node = _value(node.id, scope, line) or node
    function = functions.get(_name(node.func) or "") if isinstance(node, ast.Call) else None
    for inner in ast.walk(function) if function is not None else ():
        if isinstance(inner, ast.Return) and inner.value is not None:
            yield from _meetings(inner.value, function or scope, inner.lineno, _DEPTH)


def _value(name: str, scope: ast.AST, line: int) -> ast.expr | None:
    """What a name was last set to before a line."""
    found = [
        n
        for n in ast.walk(scope)
        if isinstance(n, ast.Assign)
        and n.lineno < line
        and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)
    ]
    return max(found, key=lambda n: n.lineno).value if found else None


def _meant(node: ast.BinOp | ast.Compare, scope: ast.AST) -> bool:
    """Whether the pairs are wanted: an axis is given there, or both operands are made of one thing."""
    if any(word in ast.unparse(node) for word in _GIVEN):
        return True
    sides = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.left, node.comparators[0])
    one, other = (_roots(side, scope, node.lineno) for side in sides)
    return bool(one & other)


def _roots(node: ast.expr, scope: ast.AST, line: int, depth: int = _DEPTH) -> set[str]:
    """The names that an expression is made of, with those that these were made of."""
    names = names_in(node) - _MODULES
    for name in list(names) if depth else ():
        value = _value(name, scope, line)
        if value is not None and _reshaped(value):
            names |= _roots(value, scope, value.lineno, depth - 1)
    return names


def _reshaped(value: ast.expr) -> bool:
    """Whether it is another layout of something, and not computed from it."""
    return not any(isinstance(n, (ast.BinOp, ast.Compare)) for n in ast.walk(value)) and any(
        word in ast.unparse(value) for word in (*_GIVEN, "[", "ravel", "flatten", "squeeze", "copy")
    )
