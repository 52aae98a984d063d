"""An exception that the program itself raises, of what a setting should have brought about that was set too late."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from xladoctor.diagnosis.own_source import program_of
from xladoctor.model.diagnosis import Diagnosis, Location
from xladoctor.recording.run import Recording
from xladoctor.sources.flows import Flows
from xladoctor.sources.names import nodes_of, walk

_LATE = "setting-too-late"


def with_late_setting(diagnosis: Diagnosis, recording: Recording) -> Diagnosis:
    """The diagnosis with that setting as its root, where what the program tests before it raises may hold a value that
    the setting names: the folder into which XLA should have written, for instance.
    """
    root = diagnosis.root
    raised = (root.raised_at or root.location) if root is not None else None
    late = [f for f in diagnosis.findings if f.slug == _LATE and f.status == "confirmed" and f.location is not None]
    if root is None or raised is None or root.slug != "not-xla" or not late:
        return diagnosis
    trees = program_of(recording, raised.file)
    flows = Flows(trees)
    tested = list(_tests(trees.get(raised.file), raised))
    for setting in late:
        named = list(_named(trees.get(setting.location.file), setting.location)) if setting.location else []
        reached = flows.reached((), named)
        if named and any(flows.holds(test, reached) for test in tested):
            cause = replace(
                setting, level="error", role="root", status="untested", raised_at=raised,
                message=f"{setting.message} What the program tests before it raises "
                f"depends on a value that this setting names.",
            )  # fmt: skip
            rest = (f for f in diagnosis.findings if f is not setting)
            after = tuple(replace(f, role="consequence") if f is root else f for f in rest)
            return replace(diagnosis, findings=(cause, *after))
    return diagnosis


def _tests(tree: ast.Module | None, at: Location) -> Iterator[ast.expr]:
    """What decides whether the `raise` or `assert` in that line is reached; nothing for another statement."""
    around: list[ast.expr] = []
    for node in walk(tree) if tree is not None else ():
        inside = isinstance(node, ast.stmt) and node.lineno <= (at.line or 0) <= (node.end_lineno or 0)
        if inside and isinstance(node, ast.If | ast.While):
            around.append(node.test)
        elif inside and isinstance(node, ast.Assert):
            yield node.test
        elif inside and isinstance(node, ast.Raise):
            yield from around


def _named(tree: ast.Module | None, at: Location) -> Iterator[ast.expr]:
    """The variables that the statement in that line reads."""
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign | ast.Expr) and node.lineno <= (at.line or 0) <= (node.end_lineno or 0):
            functions = {id(call.func) for call in nodes_of(node, ast.Call)}
            yield from (
                name for name in nodes_of(node.value, ast.Name)
                if id(name) not in functions
            )  # fmt: skip
