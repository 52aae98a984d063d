"""What is at hand in the functions of a program that was followed: their numbers, and the names of what they take and
give.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from xladoctor.blame import variants
from xladoctor.blame.values import Class, Function, Instance, number
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def numbers_of(run: Follower, file: str, *functions: str) -> dict[str, int]:
    """The whole numbers of the names of functions."""
    found: dict[str, int] = {}
    for scope in run.scopes:
        if scope.file == file and scope.function in functions:
            for name, value in scope.names.items():
                size = number(value)
                if size is not None:
                    found[name] = size
    return found


def numbers_of_self(run: Follower, file: str, function: str) -> dict[str, int]:
    """The whole numbers of the attributes of `self` in a method."""
    found: dict[str, int] = {}
    for scope in run.scopes:
        holder = scope.names.get("self") if (scope.file, scope.function) == (file, function) else None
        for name, value in holder.names.items() if isinstance(holder, Instance) else ():
            size = number(value)
            if size is not None:
                found[name] = size
    return found


def parameters_of(run: Follower) -> dict[str, list[str]]:
    """The parameters of the program's functions and classes, by their names."""
    found: dict[str, list[str]] = {}
    for scope in run.scopes:
        for name, value in scope.names.items():
            start = value.find("__init__") if isinstance(value, Class) else value
            if isinstance(start, Function) and isinstance(start.node, ast.FunctionDef):
                found[name] = [a.arg for a in start.node.args.args if a.arg != "self"]
    return found


def names_of_results(run: Follower, files: Files) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """What the results of functions are called: where they are returned, and where they are taken."""
    given: dict[str, list[str]] = {}
    taken: dict[str, list[str]] = {}
    for file in dict.fromkeys(scope.file for scope in run.scopes):
        source = files.source(file)
        for node in walk(source.tree) if source is not None else ():
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
                given[files.function(file, node.lineno) or ""] = [variants.subject(e) for e in node.value.elts]
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                for target in node.targets:
                    if isinstance(target, ast.Tuple):
                        taken[last_name(node.value.func)] = [variants.subject(e) for e in target.elts]
    return given, taken
