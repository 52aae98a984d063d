"""Where the elements of a list come from: the lines that put them in, and the loop around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.backward import Backward
from xladoctor.sources.names import INNER, children, last_name, names_in, nodes_of
from xladoctor.sources.order import scope_at

_ADDS = frozenset({"append", "appendleft", "insert"})
_DEEP = 4


@dataclass(frozen=True)
class Filling:
    """One expression that gives elements of a list, and the head of the innermost loop that the element depends on."""

    file: str
    line: int
    loop: int | None = None
    steps: bool = False
    """Whether the loop goes on by more than one: its elements are pieces."""


def fillings(back: Backward, file: str, line: int, name: str, deep: int = 0) -> list[Filling]:
    """What fills the list `name` of the function that holds a line, or of the module: there, or in the function of the
    program that returns it.
    """
    tree = back.tree(file)
    if tree is None:
        return []
    found = [_filling(file, element, loops) for element, loops in _elements(scope_at(tree, line), name, [])]
    if found or deep >= _DEEP:
        return found
    for made in back.named(file, ast.Name(name, ast.Load(), lineno=line, col_offset=0)):
        for gave in back.results(made.value) if made.part is None else back.part_of(made.value, made.part):
            if isinstance(gave.value, ast.Name):
                found += fillings(back, gave.file, gave.line, gave.value.id, deep + 1)
    return found


_Loops = list[ast.For | ast.comprehension]


def _elements(node: ast.AST, name: str, loops: _Loops) -> Iterator[tuple[ast.expr, _Loops]]:
    for child in children(node):
        if isinstance(child, INNER):
            continue
        yield from _given(child, name, loops)
        yield from _elements(child, name, [*loops, child] if isinstance(child, ast.For) else loops)


def _given(node: ast.AST, name: str, loops: _Loops) -> Iterator[tuple[ast.expr, _Loops]]:
    """The elements that one statement or call gives."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDS and node.args:
        if last_name(node.func.value) == name:
            yield node.args[-1], loops
        return
    value: ast.expr | None = None
    if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
        value = node.value
    elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
        value = node.value if node.target.id == name else None
    if isinstance(value, ast.ListComp):
        yield value.elt, [*loops, *value.generators]
    elif isinstance(value, ast.List):
        yield from ((element, loops) for element in value.elts)


def _filling(file: str, element: ast.expr, loops: _Loops) -> Filling:
    """The innermost of the loops that an element depends on, directly or by what is set within them."""
    used = names_in(element)
    for loop in reversed(loops):
        body = loop.body if isinstance(loop, ast.For) else []
        for statement in reversed([n for part in body for n in nodes_of(part, ast.Assign)]):
            if any(used & names_in(target) for target in statement.targets):
                used |= names_in(statement.value)
        if used & names_in(loop.target):
            return Filling(file, element.lineno, loop.iter.lineno, _steps(loop.iter))
    return Filling(file, element.lineno)


def _steps(over: ast.expr) -> bool:
    return isinstance(over, ast.Call) and last_name(over.func) in ("range", "arange") and len(over.args) > 2
