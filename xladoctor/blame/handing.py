"""Calls of the traceback that hand on arrays which do not agree any more: one is cut there, and another is not.

Two values of a call have as many rows in the function that calls, and another number each in the function that is
called. The recorded shapes tell it; no source has to be followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from xladoctor.blame.crash import Crash, Frame, Sizes
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk


def of_calls(crash: Crash, files: Files) -> Iterator[Candidate]:
    """The lines of such calls."""
    for caller, callee in pairwise(crash.frames):
        given = list(_given(caller, callee, files))
        for (one, before, after), (other, was, now) in combinations(given, 2):
            if before[:1] == was[:1] and after[:1] != now[:1] and None not in (*after[:1], *now[:1]) and before[:1]:
                cut, whole = (one, other) if after[:1] != before[:1] else (other, one)
                sizes = (after[0], now[0]) if cut == one else (now[0], after[0])
                reason = f"It hands on {sizes[0]} rows as `{cut}` and {sizes[1]} as `{whole}`: both had {before[0]}."
                yield Candidate(caller.file, caller.line, 8.0, reason, None, "slice", strong=True)
                return


def _given(caller: Frame, callee: Frame, files: Files) -> Iterator[tuple[str, Sizes, Sizes]]:
    """Of each parameter that has a recorded shape: its name, the shape of what it was made of, and its own."""
    source = files.source(caller.file)
    function = callee.function.rpartition(".")[2]
    node = _definition(callee, function, files)
    for call in walk(source.tree) if source is not None and node is not None else ():
        covers = isinstance(call, ast.Call) and call.lineno <= caller.line <= (call.end_lineno or call.lineno)
        if not covers or not isinstance(call, ast.Call) or last_name(call.func) != function or node is None:
            continue
        names = [a.arg for a in node.args.args if a.arg not in ("self", "cls")]
        pairs = [*zip(names, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
        for name, value in pairs:
            shape, before = callee.shapes.get(name), _root(value, caller)
            if shape and before is not None:
                yield name, before, shape
        return


def _definition(frame: Frame, name: str, files: Files) -> ast.FunctionDef | None:
    source = files.source(frame.file)
    found = [
        n for n in walk(source.tree) if isinstance(n, ast.FunctionDef) and n.name == name
        and n.lineno <= frame.line <= (n.end_lineno or n.lineno)
    ] if source is not None else []  # fmt: skip
    return found[-1] if found else None


def _root(value: ast.expr, frame: Frame) -> Sizes | None:
    """The shape of the one array of the caller that an argument is: itself, or a slice of it."""
    here: ast.expr = value
    while isinstance(here, ast.Subscript) and _is_cut(here.slice):
        here = here.value
    name = here.id if isinstance(here, ast.Name) else ast.unparse(here) if isinstance(here, ast.Attribute) else ""
    return frame.shapes.get(name)


def _is_cut(part: ast.expr) -> bool:
    first: Sequence[ast.expr] = part.elts if isinstance(part, ast.Tuple) else [part]
    return bool(first) and isinstance(first[0], ast.Slice)
