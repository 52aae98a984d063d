"""Calls of the traceback that hand on arrays which do not agree any more: one is cut there, and another is not.

Two values of a call have as many rows in the function that calls, and another number each in the function that is
called. The recorded shapes tell it; no source has to be followed.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash, Frame, Sizes
from xladoctor.blame.suspicion import Candidate, history
from xladoctor.blame.values import Array, Clash
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, names_in, nodes_of, positional, walk

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


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


def of_other_calls(clash: Clash, run: Follower) -> Iterator[Candidate]:
    """The call of the traceback that gives a function an array of too few or too many axes, where another call of the
    function gives it as many as are wanted: a batch in training, one element of it later.
    """
    wanted = {d.size for d in clash.sides} if clash.relation == "rank" else set()
    first = clash.values[0] if wanted and clash.values else None
    before = {id(v) for v in history(first)} if isinstance(first, Array) else set()
    for caller, callee in reversed(list(pairwise(run.crash.frames))):
        node = _definition(callee, callee.function.rpartition(".")[2], run.files)
        calls = run.given_to.get(node, []) if node is not None else []
        here = (caller.file, caller.line)
        given = next((arrays for at, arrays in calls if at == here), {})
        for name, value in given.items():
            ranks = {len(a[name].sizes): at for at, a in calls if at != here and name in a and a[name].dims is not None}
            other = next((n for n in ranks if n in wanted and n != len(value.sizes)), None)
            if id(value) in before and value.dims is not None and other is not None and len(ranks) == 1:
                place = f"{Path(ranks[other][0]).name}:{ranks[other][1]}"
                reason = f"It gives `{name}` {len(value.sizes)} axes, and the call at {place} gives {other}."
                made = _made_apart(clash, caller, callee, name, run.files)
                if made is not None:
                    yield Candidate(*made, 8.8, reason, 0, "expand", strong=True)
                yield Candidate(*here, 7.0 if made else 8.8, reason, 0, "expand", strong=True)
                return


def _made_apart(clash: Clash, caller: Frame, callee: Frame, name: str, files: Files) -> Line | None:
    """Where an array was made that a call hands over as it is, under its name: the axis is missing there."""
    call, names = _call(caller, callee, files)
    given = dict(zip(names, call.args, strict=False)) if call is not None else {}
    value, origin = clash.values[0], clash.values[0].origin if clash.values[0] is not None else None
    here = given.get(name)
    if origin is None or origin.kind != "array" or not isinstance(value, Array) or not isinstance(here, ast.Name):
        return None
    source = files.source(caller.file)
    loops = [n for n in walk(source.tree) if isinstance(n, ast.For | ast.comprehension)] if source is not None else []
    rounds = {name for loop in loops for name in names_in(loop.target)}
    return (origin.file, origin.line) if here.id not in rounds else None


def _given(caller: Frame, callee: Frame, files: Files) -> Iterator[tuple[str, Sizes, Sizes]]:
    """Of each parameter that has a recorded shape: its name, the shape of what it was made of, and its own."""
    call, names = _call(caller, callee, files)
    if call is not None:
        pairs = [*zip(names, call.args, strict=False), *((k.arg or "", k.value) for k in call.keywords)]
        for name, value in pairs:
            shape, before = callee.shapes.get(name), _root(value, caller)
            if shape and before is not None:
                yield name, before, shape


def _call(caller: Frame, callee: Frame, files: Files) -> tuple[ast.Call | None, list[str]]:
    """The call of the traceback in the source, and the parameters of the function that is called."""
    source = files.source(caller.file)
    function = callee.function.rpartition(".")[2]
    node = _definition(callee, function, files)
    for call in walk(source.tree) if source is not None and node is not None else ():
        covers = isinstance(call, ast.Call) and call.lineno <= caller.line <= (call.end_lineno or call.lineno)
        if covers and isinstance(call, ast.Call) and last_name(call.func) == function and node is not None:
            return call, positional(node)
    return None, []


def of_exchanged(crash: Crash, files: Files) -> Iterator[Candidate]:
    """A call of the traceback that gives two arguments in each other's place: `move(speed, place)` of
    `def move(place, speed)`.
    """
    for caller, callee in pairwise(crash.frames):
        call, names = _call(caller, callee, files)
        given = [last_name(a) if isinstance(a, ast.Name | ast.Attribute) else "" for a in call.args] if call else []
        for i, j in combinations(range(min(len(given), len(names))), 2):
            crossed = _suits(given[i], names[j]) and _suits(given[j], names[i])
            if crossed and not (_suits(given[i], names[i]) or _suits(given[j], names[j])) and call is not None:
                reason = (
                    f"It gives `{given[i]}` in the place of `{names[i]}`, and `{given[j]}` in that of `{names[j]}`."
                )
                yield Candidate(caller.file, call.args[i].lineno, 8.8, reason, None, "other", strong=True)


def _suits(given: str, name: str) -> bool:
    """Whether an argument is called as a parameter, or as one of something: `probe_width` for `width`."""
    return given == name or (bool(name) and given.endswith("_" + name))


def of_misplaced(hops: Mapping[Line, int], files: Files) -> Iterator[Candidate]:
    """A call that gives an argument in the place of a parameter of another name, where one of the callee's parameters
    has its name: `Mosaic(self.canvas, self.size)` of `def __init__(self, size, canvas)`.
    """
    trees = files.trees(f for f, _ in hops)
    known: dict[str, list[list[str]]] = defaultdict(list)
    for tree in trees.values():
        for node in (n for n in walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)):
            inner = [m for m in node.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"]
            made = node if isinstance(node, ast.FunctionDef) else inner[0] if inner else None
            known[node.name].append(positional(made) if made is not None else [])
    for file, tree in trees.items():
        for call in (n for n in nodes_of(tree, ast.Call) if (file, n.lineno) in hops):
            names = known.get(last_name(call.func), [])
            given = [last_name(a) for a in call.args]
            if len(names) != 1 or any(isinstance(a, ast.Starred) for a in call.args):
                continue
            for i, name in enumerate(given[: len(names[0])]):
                j = next((k for k, wanted in enumerate(names[0]) if _suits(name, wanted)), i)
                if j != i and j < len(given) and given[j] and not _suits(given[j], names[0][j]):
                    reason = f"It gives `{name}` in the place of `{names[0][i]}`."
                    yield Candidate(file, call.lineno, 7.8, reason, None, "other", True)


def _definition(frame: Frame, name: str, files: Files) -> ast.FunctionDef | None:
    source = files.source(frame.file)
    found = [
        n for n in nodes_of(source.tree, ast.FunctionDef) if n.name == name
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
