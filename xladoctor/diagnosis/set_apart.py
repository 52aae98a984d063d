"""NaN that a program knows of: the function that loses it under XLA tells at the same time which values had it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Location
from xladoctor.recording.run import Recording
from xladoctor.sources.finiteness import nan_tests
from xladoctor.sources.names import names_in, nodes_of, statements, walk
from xladoctor.sources.order import scope_at

_NAN = "nan"


def asked_beside(recording: Recording, at: Location | None, told: Mapping[str, Any]) -> int | None:
    """The line that asks for NaN in what the op of another line is given, in the same function: `finite =
    reduce_all(is_finite(x))` beside `peak = reduce_max(x)`. None where plain execution gives anything else than NaN, or
    where only the result is asked.
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
    inside = {id(n) for n in walk(scope)}
    for test in nan_tests(tree):
        asked = {name for value in test.values for name in names_in(value)}
        if test.kind == "asks" and all(id(v) in inside for v in test.values) and asked & given - targets:
            return test.line
    return None
