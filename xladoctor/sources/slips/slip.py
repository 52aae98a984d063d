"""What a slip is, and what all of the checks ask of a tree."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import dotted, nodes_of, walk, within

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Slip:
    """A line that does something else than it seems to; `kind` is what the diagnosis gives a class and a remedy."""

    kind: str
    line: int
    title: str
    message: str


def stored(node: ast.AST) -> set[str]:
    """The plain names that are assigned below a node, functions within it left out."""
    return {n.id for n in within(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def loaded(node: ast.AST) -> set[str]:
    """The plain names that are read below a node."""
    return {n.id for n in nodes_of(node, ast.Name) if isinstance(n.ctx, ast.Load)}


def within_body(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a module or a function itself, and not in functions or classes within it."""
    for statement in scope.body:  # type: ignore[attr-defined]
        if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            yield from within(statement)


def scopes(tree: ast.Module) -> Iterator[ast.AST]:
    """The module and each function."""
    yield tree
    yield from (n for n in walk(tree) if isinstance(n, FUNCTIONS))


def assigns(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr, int]]:
    """(target, value, line) of each assignment of one target below a node."""
    for n in walk(node):
        if isinstance(n, ast.Assign) and len(n.targets) == 1:
            yield n.targets[0], n.value, n.lineno
        elif isinstance(n, ast.AnnAssign) and n.value is not None:
            yield n.target, n.value, n.lineno


def values_of_names(tree: ast.Module) -> dict[str, list[tuple[ast.expr, int]]]:
    """The values, with their lines, that each name gets, `self.name` included."""
    found: dict[str, list[tuple[ast.expr, int]]] = {}
    for target, value, line in assigns(tree):
        name = dotted(target)
        if name is not None:
            found.setdefault(name, []).append((value, line))
    return found


def key_of(node: ast.AST) -> tuple[str, str] | None:
    """(holder, key) of `CONFIG["rate"]`, `CONFIG.get("rate")`, `cfg.rate`, `os.getenv("RATE")` and the like."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
        holder = dotted(node.value)
        return (holder, node.slice.value) if holder else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        first = node.args[0]
        if node.func.attr in ("get", "getenv") and isinstance(first, ast.Constant) and isinstance(first.value, str):
            holder = dotted(node.func.value)
            holder = "os.environ" if (holder, node.func.attr) == ("os", "getenv") else holder
            return (holder, first.value) if holder else None
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return node.value.id, node.attr
    return None
