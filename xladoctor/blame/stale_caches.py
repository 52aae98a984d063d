"""What a program makes once and keeps, where it meets something later that it was not made for: a cache whose key
leaves out what the kept thing depends on, an optimizer that was built for other variables.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.suspicion import Candidate, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import OPTIMIZERS, assigned_once, last_name, names_in, nodes_of, parameters, walk

_OTHER_VARIABLES = re.compile(r"variables it was originally built with|Unknown variable|optimizer cannot recognize")
_NO_MATTER = re.compile(r"path|dir|folder|root|file|verbose|seed|log", re.IGNORECASE)


def of_kept(hops: Mapping[Line, int], crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    variables = _OTHER_VARIABLES.search(crash.message) is not None
    for file, tree in files.trees(f for f, _ in hops).items():
        found: list[tuple[int, float, str]] = []
        for node in walk(tree):
            if isinstance(node, ast.FunctionDef):
                found += [(at, 8.0, why) for at, why in _caches(node)]
            elif variables and isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                made = last_name(node.value.func) in OPTIMIZERS and not isinstance(node.targets[0], ast.Subscript)
                said = "The optimizer that it makes is used for other variables later: each set needs its own."
                found += [(node.lineno, 7.2, said)] if made else []
        yield from conventions(file, found, hops)


def _caches(function: ast.FunctionDef) -> Iterator[tuple[int, str]]:
    """`kept[key] = build(rate)`, where `key` is made without `rate`: the line that makes the key."""
    known, given = assigned_once(function), set(parameters(function))
    tests = [n for n in nodes_of(function, ast.Compare) if isinstance(n.ops[0], ast.In | ast.NotIn)]
    asked = {ast.unparse(n.left) for n in tests}
    for node in walk(function):
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Subscript):
            continue
        if ast.unparse(target.slice) not in asked or not isinstance(node.value, ast.Call):
            continue
        key = known.get(target.slice.id, target.slice) if isinstance(target.slice, ast.Name) else target.slice
        left = sorted(n for n in (names_in(node.value) & given) - names_in(key) if not _NO_MATTER.search(n))
        if left:
            yield key.lineno, f"What is kept is made with `{left[0]}`, and found again without it."
