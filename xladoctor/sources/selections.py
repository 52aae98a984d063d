"""Where a program selects a part of its data: from the use of a value back to the line that may have left nothing.

Only assignments before the use, in the same function, are followed, and the `return` of a function of the program.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.order import scope_at

_SELECTS = frozenset(
    {"filter", "take", "skip", "shard", "boolean_mask", "where", "nonzero", "query", "dropna", "glob", "iglob", "rglob",
     "listdir", "compress", "extract", "isin", "list_files"}
)  # fmt: skip
_DEEPEST = 8
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Selection:
    """A line that selects: in which file, and the name that it gives the result (empty for a `return`)."""

    file: str
    line: int
    name: str


def selection(trees: Mapping[str, ast.Module], file: str, line: int, names: Iterable[str] = ()) -> Selection | None:
    """The nearest selection that a value used at a line came through; `names` are the names to begin with, by default
    all that stand at that line.
    """
    tree = trees.get(file)
    if tree is None:
        return None
    here = [n for n in nodes_of(tree, ast.stmt) if _spans(n, line)]
    if not here:
        return None
    statement = here[-1]
    found = _in(statement, file, "") if not isinstance(statement, Function | ast.For | ast.While | ast.With) else None
    if found is not None and not isinstance(statement, ast.Assign):
        return found
    todo = [(file, scope_at(tree, line), line, name, 0) for name in (names or _used(statement))]
    seen = set()
    while todo:
        where, scope, before, name, depth = todo.pop(0)
        if (where, before, name) in seen or depth > _DEEPEST:
            continue
        seen.add((where, before, name))
        made = _assigned(scope, before, name) or _assigned(
            trees[where], before if scope is trees[where] else None, name
        )
        if made is None:
            continue
        found = _in(made, where, name)
        if found is not None:
            return found
        todo += [(where, scope, made.lineno, used, depth + 1) for used in _used(made.value)]
        for other, function in _called(trees, made.value):
            for leaves in (n for n in nodes_of(function, ast.Return) if n.value is not None):
                found = _in(leaves, other, "")
                if found is not None:
                    return found
                todo += [(other, function, leaves.lineno, used, depth + 1) for used in _used(leaves)]
    return None


def _in(statement: ast.stmt, file: str, name: str) -> Selection | None:
    """A statement as a selection, where its value is one."""
    value = getattr(statement, "value", None)
    return Selection(file, statement.lineno, name) if value is not None and _selects(value) else None


def _selects(value: ast.expr) -> bool:
    for node in walk(value):
        if isinstance(node, ast.Subscript) and not _is_plain(node.slice):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) in _SELECTS:
            return True
        if isinstance(node, ast.ListComp | ast.GeneratorExp) and any(g.ifs for g in node.generators):
            return True
    return False


def _is_plain(index: ast.expr) -> bool:
    """Whether an index takes one element, or all of each axis but whole columns: no rows are left out by it."""
    if isinstance(index, ast.Tuple):
        first = index.elts[0] if index.elts else None
        return isinstance(first, ast.Slice) and first.lower is None and first.upper is None
    whole = isinstance(index, ast.Slice) and index.lower is None and index.upper is None
    return whole or isinstance(index, ast.Constant | ast.UnaryOp)


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _used(node: ast.AST) -> list[str]:
    names = [n for n in nodes_of(node, ast.Name) if isinstance(n.ctx, ast.Load)]
    return list(dict.fromkeys(n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))))


def _assigned(scope: ast.AST, before: int | None, name: str) -> ast.Assign | None:
    """The last assignment to a name before a line, in a scope."""
    found = [
        n for n in nodes_of(scope, ast.Assign)
        if (before is None or n.lineno < before)
        and any(isinstance(t, ast.Name) and t.id == name for target in n.targets for t in walk(target))
    ]  # fmt: skip
    return max(found, key=lambda n: n.lineno, default=None)


def _called(trees: Mapping[str, ast.Module], value: ast.expr) -> Iterator[tuple[str, Function]]:
    names = {n.func.id for n in nodes_of(value, ast.Call) if isinstance(n.func, ast.Name)}
    for file, tree in trees.items():
        yield from ((file, n) for n in walk(tree) if isinstance(n, Function) and n.name in names)
