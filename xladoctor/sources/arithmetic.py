"""What an operator of Python gives for two numbers that the source has."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

OPERATORS: Mapping[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod,
}  # fmt: skip


def reckoned(left: float, op: ast.operator, right: float) -> Any:
    """The number, or None where there is none (a division by 0), or it is too large to be worked out."""
    try:
        if isinstance(op, ast.Pow) and abs(right) < 64 and abs(left) < 1 << 20:
            return left**right
        act = OPERATORS.get(type(op))
        return act(left, right) if act is not None else None
    except (ZeroDivisionError, OverflowError):
        return None
