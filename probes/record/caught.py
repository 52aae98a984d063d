"""Where a program will catch an exception that has just been raised: from the frames that it has yet to pass.

Only a failure leads here, and of a program that fails again and again only the first ones do.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping, Sequence
from typing import Any

MAX_FAILURES = 20
_MAX_LINES = 20_000


def handler_of(error: BaseException, frames: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """{"file", "line" of the `except`, "function", "gives": what it returns, if that is a constant, "keeps":
    whether it writes down that the error came before it raises it on, "turns": whether it takes another way}, of the
    innermost handler that takes the error; None where none is seen. `frames` are outermost first.

    A name that is no builtin class of the error may be an alias: then it is not known whether the handler takes it, and
    nothing is said.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    for frame in reversed([f for f in frames if f.get("user") and f.get("line")]):
        tree = _parsed(str(frame["file"]))
        handler = _handler(tree, int(frame["line"]), names) if tree is not None else None
        if handler is not None:
            place = {"file": frame["file"], "line": handler.lineno, "function": frame.get("function")}
            return {**place, "gives": _constant(handler), "keeps": _keeps(handler), "turns": _turns(handler)}
    return None


def _parsed(file: str) -> ast.Module | None:
    lines = linecache.getlines(file)
    if not lines or len(lines) > _MAX_LINES:
        return None
    try:
        return ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return None


def _handler(tree: ast.Module, line: int, names: set[str]) -> ast.ExceptHandler | None:
    inside = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and node.body[0].lineno <= line <= (node.body[-1].end_lineno or 0)
    ]
    for node in sorted(inside, key=lambda n: n.lineno, reverse=True):
        for handler in node.handlers:
            if handler.type is None or _named(handler.type) & names:
                return handler
    return None


def _named(expression: ast.expr) -> set[str]:
    if isinstance(expression, ast.Tuple):
        return {name for item in expression.elts for name in _named(item)}
    if isinstance(expression, ast.Attribute):
        return {expression.attr}
    return {expression.id} if isinstance(expression, ast.Name) else set()


def _constant(handler: ast.ExceptHandler) -> str | None:
    for node in handler.body:
        if isinstance(node, ast.Return) and (node.value is None or isinstance(node.value, ast.Constant)):
            return repr(node.value.value if isinstance(node.value, ast.Constant) else None)[:40]
    return None


_WRITES = frozenset({"append", "put", "put_nowait", "set", "add", "send", "set_exception"})


def _turns(handler: ast.ExceptHandler) -> bool:
    """Whether the handler takes the next turn of a loop, or gives back something that it works out."""
    nodes = [node for statement in handler.body for node in ast.walk(statement)]
    given = [n.value for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    return any(isinstance(n, ast.Continue) for n in nodes) or any(not isinstance(v, ast.Constant) for v in given)


def _keeps(handler: ast.ExceptHandler) -> bool:
    """Whether the handler tells others (it sets an attribute or an item, puts something into a queue) and raises."""
    nodes = [node for statement in handler.body for node in ast.walk(statement)]
    targets = [t for n in nodes if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in nodes if isinstance(n, (ast.AugAssign, ast.AnnAssign))]
    calls = (n.func for n in nodes if isinstance(n, ast.Call))
    written = any(isinstance(t, (ast.Attribute, ast.Subscript)) for t in targets)
    written = written or any(isinstance(f, ast.Attribute) and f.attr in _WRITES for f in calls)
    return written and any(isinstance(n, ast.Raise) for n in nodes)
