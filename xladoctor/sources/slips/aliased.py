"""A second name for a model that should be a second model, and a second model that nothing brings up to date."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import dotted, last_name, mentioned, nodes_of, walk
from xladoctor.sources.slips.slip import Slip, values_of_names

_UPDATES = re.compile(r"target|ema|shadow|teacher|average|polyak|sync|soft_?update|(?:hard|copy)_?(?:update|weights)")
_WEIGHTS = frozenset({"weights", "variables", "trainable_variables", "trainable_weights", "non_trainable_weights"})


def aliases(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each name that is kept in step with the model that it stands for."""
    made = values_of_names(tree)
    yield from _never_called(tree)
    synced = set(_synced(tree))
    for name, values in made.items():
        if len(values) != 1:
            continue
        value, line = values[0]
        copied = isinstance(value, ast.Call) and (dotted(value.func) or "") in ("copy.copy", "copy")
        of = dotted(value.args[0] if copied and isinstance(value, ast.Call) and value.args else value)
        if of is None or of == name or of not in made or (name, of) not in synced:
            continue
        yield Slip(
            "one-model",
            line,
            f"`{name}` is `{of}` itself, and no copy of it",
            f"The program keeps `{name}` in step with `{of}`, as a second model. Both names are one object here: a "
            "change of one is a change of the other at once.",
        )


def _never_called(tree: ast.Module) -> Iterator[Slip]:
    """A function that brings a second model up to date, and that nothing calls."""
    names = mentioned(tree)
    for function in nodes_of(tree, ast.FunctionDef):
        if function.name in names or function.decorator_list or not _UPDATES.search(function.name):
            continue
        changes = any(
            isinstance(n, ast.Attribute) and n.attr in ("assign", "assign_add", "assign_sub", "set_weights")
            for n in walk(function)
        )
        if changes:
            yield Slip(
                "never-called",
                function.lineno,
                f"Nothing calls {function.name}",
                "It changes weights or variables by its text, and the program never calls it: they stay as they were "
                "made.",
            )


def _synced(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """(name, other) where the program copies weights from one to the other, or averages both."""
    for node in nodes_of(tree, ast.Call):
        if last_name(node.func) == "set_weights" and isinstance(node.func, ast.Attribute):
            other = {
                dotted(n.func.value)
                for a in node.args
                for n in nodes_of(a, ast.Call)
                if isinstance(n.func, ast.Attribute) and n.func.attr == "get_weights"
            }
            for of in other - {None}:
                yield dotted(node.func.value) or "", of or ""
        elif last_name(node.func) == "zip" and len(node.args) == 2:
            both = [dotted(a.value) for a in node.args if isinstance(a, ast.Attribute) and a.attr in _WEIGHTS]
            if len(both) == 2 and None not in both:
                yield both[0] or "", both[1] or ""
                yield both[1] or "", both[0] or ""
