"""NaN that a program knows of: the function that loses it under XLA tells at the same time which values had it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Location
from xladoctor.recording.run import Recording
from xladoctor.sources.finiteness import nan_tests
from xladoctor.sources.names import last_name, names_in, nodes_of, statements, walk
from xladoctor.sources.order import scope_at

_NAN = "nan"


def asked_beside(recording: Recording, at: Location | None, told: Mapping[str, Any]) -> int | None:
    """The line that asks for NaN in what the op of another line is given, in the same function, which gives both back:
    `fine = reduce_all(is_finite(x))` beside `top = reduce_max(x)`. None where plain execution gives anything else than
    NaN, or where only the result is asked.
    """
    plain = [str(value) for value in told.get("plain") or ()]
    if at is None or not at.line or not plain or set(plain) != {_NAN}:
        return None
    tree = program_of(recording, at.file).get(at.file)
    scope = scope_at(tree, at.line) if tree is not None else None
    if tree is None or not isinstance(scope, ast.FunctionDef):
        return None
    made = next((s for s in statements(scope) if s.lineno <= at.line <= (s.end_lineno or s.lineno)), None)
    targets = {n for t in made.targets for n in names_in(t)} if isinstance(made, ast.Assign) else set()
    given = {name for call in nodes_of(made, ast.Call) for a in call.args for name in names_in(a)} if made else set()
    answers = _answers(scope)
    for test in nan_tests(tree):
        asked = {name for value in test.values for name in names_in(value)}
        inside = any(id(value) in answers for value in test.values)
        if test.kind == "asks" and inside and asked & given - targets:
            return test.line
    return None


_OF_TRUTH = frozenset(
    {"reduce_all", "reduce_any", "all", "any", "logical_and", "logical_or", "logical_not", "is_finite", "is_nan",
     "isfinite", "isnan"}
)  # fmt: skip


def _answers(function: ast.FunctionDef) -> set[int]:
    """The ids of the nodes of which the answers are made, yes or no, that a function gives back."""
    given = [e for n in nodes_of(function, ast.Return) if n.value is not None for e in _parts(n.value)]
    made = {n.targets[0].id: n.value for n in nodes_of(function, ast.Assign) if isinstance(n.targets[0], ast.Name)}
    found: set[int] = set()
    todo = list(given)
    while todo:
        here = todo.pop()
        value = made.pop(here.id, None) if isinstance(here, ast.Name) else here
        if value is not None and _is_of_truth(value):
            found |= {id(n) for n in walk(value)}
            todo += nodes_of(value, ast.Name)
    return found


def _parts(value: ast.expr) -> list[ast.expr]:
    parts = value.values if isinstance(value, ast.Dict) else value.elts if isinstance(value, ast.Tuple) else [value]
    return list(parts)


def _is_of_truth(value: ast.expr) -> bool:
    """Whether a value is yes or no for each row."""
    if isinstance(value, ast.Call):
        return last_name(value.func) in _OF_TRUTH
    negates = isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Invert | ast.Not)
    return negates or (isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitAnd | ast.BitOr))
