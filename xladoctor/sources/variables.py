"""Where a program makes its variables, and where it puts something else in the place of one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import dotted, keyword, last_name, walk
from xladoctor.sources.slips.slip import values_of_names

_MAKES = frozenset({"Variable", "add_weight", "add_variable"})


def rebound(tree: ast.Module) -> list[int]:
    """The lines of `self.b = self.b - step`, `w = w - step` and the like, for names that are made as variables."""
    found = []
    for name, values in values_of_names(tree).items():
        made = [v for v, _ in values if isinstance(v, ast.Call) and last_name(v.func) in _MAKES]
        others = [(v, line) for v, line in values if v not in made]
        found += [line for v, line in others if made and any(dotted(n) == name for n in walk(v))]
    return sorted(found)


def assigned_variables(tree: ast.AST) -> Iterator[tuple[ast.Assign, ast.Call]]:
    """(statement, call) of what makes a variable and gives it to a name or an attribute."""
    for statement in walk(tree):
        made = statement.value if isinstance(statement, ast.Assign) else None
        if isinstance(statement, ast.Assign) and isinstance(made, ast.Call) and last_name(made.func) in _MAKES:
            yield statement, made


def made_of_zeros(tree: ast.Module) -> dict[str, list[int]]:
    """{name: the lines that make a variable of this name with zeros}: its own, or that of what it is assigned to."""
    found: dict[str, list[int]] = {}
    for statement, made in assigned_variables(tree):
        named = keyword(made, "name")
        own = named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else None
        first = keyword(made, "initializer") or (
            made.args[0] if last_name(made.func) == "Variable" and made.args else None
        )
        if first is not None and _is_zero(first):
            found.setdefault(own or last_name(statement.targets[0]), []).append(statement.lineno)
    return found


def _is_zero(value: ast.expr) -> bool:
    """`"zeros"`, `keras.initializers.Zeros()`, `tf.zeros([3])`, `0.0`."""
    if isinstance(value, ast.Constant):
        return value.value == "zeros" or (value.value == 0 and isinstance(value.value, float))
    return last_name(value.func if isinstance(value, ast.Call) else value).lower() in ("zeros", "zeros_like")
