"""Configured values that an `or` replaces by a default, since they are false: a dropout of 0.0, a flag that is off.

`CONFIG.get(name) or DEFAULTS[name]` takes the default not only where nothing is configured. When a function with such
an expression returns, the operands are looked up again in its own names; only plain dicts are asked, so that nothing
of the program runs.
"""

from __future__ import annotations

import ast
import linecache
from types import CodeType, FrameType
from typing import Any

_LOOKS = 64
"""How often each function is looked at."""
_MISSING = object()


class Defaulted:
    """`found`: [{"file", "line", "function", "text", "value", "taken"}], each expression once."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []
        self._files: dict[str, list[ast.BoolOp]] = {}
        self._of: dict[CodeType, list[ast.BoolOp]] = {}
        self._looks: dict[CodeType, int] = {}
        self._seen: set[tuple[str, int, str]] = set()

    def look(self, frame: FrameType) -> None:
        """Look at the expressions of a function of the user's that returns now."""
        code = frame.f_code
        nodes = self._of.get(code)
        if nodes is None:
            nodes = self._of[code] = self._nodes(code)
        if not nodes:
            return
        looks = self._looks[code] = self._looks.get(code, 0) + 1
        if looks > _LOOKS:
            return
        for node in nodes:
            self._one(node, frame)

    def _nodes(self, code: CodeType) -> list[ast.BoolOp]:
        file = code.co_filename
        if file not in self._files:
            self._files[file] = _expressions("".join(linecache.getlines(file)))
        lines = {line for _, _, line in code.co_lines() if line is not None}
        return [n for n in self._files[file] if n.lineno in lines]

    def _one(self, node: ast.BoolOp, frame: FrameType) -> None:
        code = frame.f_code
        left, right = node.values
        value, default = _value(left, frame), _value(right, frame)
        if not _replaces(left, right, value, default, frame):
            return
        mark = (code.co_filename, node.lineno, repr(value))
        if mark not in self._seen:
            self._seen.add(mark)
            self.found.append(
                {"file": code.co_filename, "line": node.lineno, "function": code.co_name, "text": ast.unparse(node),
                 "key": str(_key_of(left, frame)), "value": value, "taken": default}
            )  # fmt: skip


def _expressions(text: str) -> list[ast.BoolOp]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [
        n
        for n in ast.walk(tree)
        if isinstance(n, ast.BoolOp) and isinstance(n.op, ast.Or) and len(n.values) == 2 and _lookup(n.values[0])
    ]


def _replaces(left: ast.expr, right: ast.expr, value: Any, default: Any, frame: FrameType) -> bool:
    """Whether a number or a flag that was set, and is false, gives way to another of its kind.

    An integer 0 often means "choose one", and a text that is empty "none": these give way only to the table of defaults
    that is asked for the same key.
    """
    if type(value) not in (bool, int, float) or value or not default or type(default) not in (bool, int, float):
        return False
    if (type(value) is bool) is not (type(default) is bool):
        return False
    same_key = _lookup(right) and _key_of(left, frame) == _key_of(right, frame)
    return same_key or (type(value) is float and isinstance(right, ast.Constant))


def _lookup(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """(mapping, key) of `mapping[key]` and `mapping.get(key)`."""
    if isinstance(node, ast.Subscript):
        return node.value, node.slice
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
        return (node.func.value, node.args[0]) if len(node.args) == 1 and not node.keywords else None
    return None


def _key_of(node: ast.expr, frame: FrameType) -> Any:
    found = _lookup(node)
    return _MISSING if found is None else _value(found[1], frame)


def _value(node: ast.expr, frame: FrameType) -> Any:
    """The value of an expression that runs no code of the program; `_MISSING` for all others."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        local = frame.f_locals.get(node.id, _MISSING)
        return frame.f_globals.get(node.id, _MISSING) if local is _MISSING else local
    found = _lookup(node)
    if found is None:
        return _MISSING
    mapping, key = _value(found[0], frame), _value(found[1], frame)
    return mapping.get(key, _MISSING) if type(mapping) is dict and type(key) in (str, int) else _MISSING
