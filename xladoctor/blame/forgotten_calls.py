"""A call that was forgotten: a function of the program that takes one value, that nothing calls, and after which all
sizes fit.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from xladoctor.blame.variants import Shapes, Variant, fields, replaced
from xladoctor.sources.files import Files
from xladoctor.sources.names import defaults, parameters, walk

_MOST = 4
_ENTRIES = frozenset({"main", "run", "cli", "test"})


@dataclass(frozen=True)
class Uncalled:
    """A function that nothing calls."""

    file: str
    node: ast.FunctionDef


def uncalled(names: Collection[str], files: Files) -> tuple[Uncalled, ...]:
    """The functions of some files that take one value and that no line of them names; none where there are many: those
    of a library are there for others.
    """
    trees = files.trees(names)
    used: set[str] = set()
    for tree in trees.values():
        for node in walk(tree):
            if isinstance(node, ast.Name):
                used.add(node.id)
            elif isinstance(node, ast.Attribute):
                used.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                used.add(node.value)
    found = [
        Uncalled(file, node) for file, tree in trees.items() for node in tree.body
        if isinstance(node, ast.FunctionDef) and node.name not in used | _ENTRIES and not node.decorator_list
        and len(parameters(node)) - len(defaults(node)) == 1
        and any(isinstance(n, ast.Return) and n.value is not None for n in walk(node))
    ]  # fmt: skip
    return tuple(found) if len(found) <= _MOST else ()


def of_forgotten(file: str, node: ast.AST, shapes: Shapes, known: Mapping[str, tuple[int, int]]) -> Iterator[Variant]:
    """A value that is assigned, returned or handed on, put through such a function. `known` are the functions that can
    be called in the file, by what they are called there, with the lines of their own that are no places for it. A value
    that comes from a function of the same module is the likeliest.
    """
    if not isinstance(node, ast.Assign | ast.Return | ast.Call):
        return
    for field, at, value in fields(node):
        handed = not isinstance(node, ast.Call) or (field == "args" and isinstance(value, ast.Name | ast.Attribute))
        if not handed or not shapes.get(value):
            continue
        for name, (first, last) in known.items():
            if not first <= value.lineno <= last:
                new = ast.parse(f"{name}(value)", mode="eval").body
                for inner in walk(new):
                    ast.copy_location(inner, value)
                if not isinstance(new, ast.Call):
                    continue
                new.args = [value]
                named = any(isinstance(n, ast.Call) and _holder(n.func) == _holder(new.func) for n in walk(value))
                why = f"`{name}`, which nothing calls, would give it a shape with which all sizes fit."
                yield Variant(file, value.lineno, "forgotten", "other", replaced(node, field, at, new), named, why)


def _holder(function: ast.expr) -> str:
    """The module that a function is taken from; empty where it is called by its own name."""
    return ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""


def callable_in(file: str, tree: ast.Module, found: Collection[Uncalled]) -> dict[str, tuple[int, int]]:
    """What such functions are called in a file that defines them, or that imports their modules: with the lines of each
    in this file.
    """
    modules = {a.asname or a.name.rpartition(".")[2]: a.name.rpartition(".")[2] for n in walk(tree)
               if isinstance(n, ast.Import | ast.ImportFrom) for a in n.names}  # fmt: skip
    known: dict[str, tuple[int, int]] = {}
    for one in found:
        if one.file == file:
            known[one.node.name] = (one.node.lineno, one.node.end_lineno or one.node.lineno)
            continue
        module = Path(one.file).stem
        known |= {f"{name}.{one.node.name}": (0, 0) for name, of in modules.items() if of == module}
    return known
