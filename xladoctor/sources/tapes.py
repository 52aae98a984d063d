"""Calls of a model under a `GradientTape`, read in the source: is it called for training?"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import dotted, keyword, last_name, nodes_of, walk
from xladoctor.sources.order import scope_at

_TRAINED = frozenset({"trainable_variables", "trainable_weights"})


@dataclass(frozen=True)
class InferenceCall:
    """A call of a model under a tape that is not for training; `given`: it says training=False."""

    line: int
    function: str
    given: bool


def for_inference(tree: ast.Module) -> list[InferenceCall]:
    """The first such call of each program; nothing where a model is called for training under one of its tapes."""
    found: list[InferenceCall] = []
    for tape in _tapes(tree):
        scope = scope_at(tree, tape.lineno)
        trained = {
            dotted(n.value) for n in nodes_of(scope, ast.Attribute) if n.attr in _TRAINED
        } - {None}  # fmt: skip
        for call in _calls(tape):
            training = keyword(call, "training")
            if training is not None and not (isinstance(training, ast.Constant) and training.value is False):
                return []
            if training is not None or (dotted(call.func) in trained and len(call.args) == 1):
                name = getattr(scope, "name", "<module>")
                found.append(InferenceCall(call.lineno, name, training is not None))
    found.sort(key=lambda c: (not c.given, c.line))
    return found[:1]


def losses(tree: ast.Module) -> list[tuple[int, str]]:
    """(line, function) of the last value that is assigned under each tape: what the gradient is taken of."""
    found = []
    for tape in _tapes(tree):
        lines = [s.lineno for s in tape.body if isinstance(s, ast.Assign | ast.AugAssign)]
        if lines:
            found.append((lines[-1], str(getattr(scope_at(tree, tape.lineno), "name", "<module>"))))
    return found


def _tapes(tree: ast.Module) -> Iterator[ast.With]:
    for node in walk(tree):
        if isinstance(node, ast.With) and any(
            isinstance(i.context_expr, ast.Call) and last_name(i.context_expr.func) == "GradientTape"
            for i in node.items
        ):
            yield node


def _calls(tape: ast.With) -> Iterator[ast.Call]:
    for statement in tape.body:
        yield from nodes_of(statement, ast.Call)
