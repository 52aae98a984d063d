"""Where the elements of a list come from: the lines that put them in, and the loop around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.names import children, last_name, walk
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


def fillings(trees: Mapping[str, ast.Module], file: str, line: int, name: str) -> list[Filling]:
    """What fills the list `name` of the function that holds a line, or of the module: there, or in the function of the
    program that returns it.
    """
    return _of_scope(trees, file, scope_at(trees[file], line), name, 0) if file in trees else []


def _of_scope(trees: Mapping[str, ast.Module], file: str, scope: ast.AST, name: str, deep: int) -> list[Filling]:
    found = [_filling(file, element, loops) for element, loops in _elements(scope, name, [])]
    if found or deep >= _DEEP:
        return found
    for called, place in _calls(scope, name):
        for where, function in _functions(trees, file, called):
            for returned in _returned(function, place):
                found += _of_scope(trees, where, function, returned, deep + 1)
    return found


def _calls(scope: ast.AST, name: str) -> Iterator[tuple[str, int | None]]:
    """The functions whose results, or which of their results, a name gets."""
    for node in walk(scope):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        for target in node.targets:
            names = [t.id if isinstance(t, ast.Name) else "" for t in getattr(target, "elts", [target])]
            if name in names:
                yield last_name(node.value.func), names.index(name) if isinstance(target, ast.Tuple) else None


def _functions(
    trees: Mapping[str, ast.Module], file: str, name: str
) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions of a name: in the file itself, or else in the others."""
    for where in (file, *(f for f in trees if f != file)):
        own = [n for n in walk(trees[where]) if isinstance(n, ast.FunctionDef) and n.name == name]
        if own:
            yield from ((where, function) for function in own)
            return


def _returned(function: ast.AST, place: int | None) -> Iterator[str]:
    for node in walk(function):
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(value, ast.Tuple) and place is not None and place < len(value.elts):
            value = value.elts[place]
        if isinstance(value, ast.Name):
            yield value.id


_Loops = list[ast.For | ast.comprehension]


def _elements(node: ast.AST, name: str, loops: _Loops) -> Iterator[tuple[ast.expr, _Loops]]:
    for child in children(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
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
    used = {n.id for n in walk(element) if isinstance(n, ast.Name)}
    for loop in reversed(loops):
        body = loop.body if isinstance(loop, ast.For) else []
        for statement in reversed([n for part in body for n in walk(part) if isinstance(n, ast.Assign)]):
            if used & {n.id for t in statement.targets for n in walk(t) if isinstance(n, ast.Name)}:
                used |= {n.id for n in walk(statement.value) if isinstance(n, ast.Name)}
        if used & {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}:
            return Filling(file, element.lineno, loop.iter.lineno, _steps(loop.iter))
    return Filling(file, element.lineno)


def _steps(over: ast.expr) -> bool:
    return isinstance(over, ast.Call) and last_name(over.func) in ("range", "arange") and len(over.args) > 2
