"""Settings that do not reach where they should: an argument that one call leaves out and another of the function gives,
and a value that a module works out once, when it is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.settings import fields_of
from xladoctor.blame.suspicion import Candidate
from xladoctor.sources.files import Files
from xladoctor.sources.names import last_name, walk

_OF_SIZES = frozenset(
    {"weight-shape-mismatch", "reshape-mismatch", "broadcast-mismatch", "keras-input-mismatch", "concat-pack-mismatch",
     "matmul-conv-mismatch"}
)  # fmt: skip


def of_settings(hops: Mapping[Line, int], crash: Crash, files: Files, main: str) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    if crash.slug not in _OF_SIZES:
        return
    trees = {f: s.tree for f in dict.fromkeys(f for f, _ in hops) if (s := files.source(f)) is not None}
    defaults: dict[str, set[str]] = {}
    reading: set[str] = set()
    for tree in trees.values():
        for node in walk(tree):
            if isinstance(node, ast.ClassDef):
                defaults[node.name] = _with_default(node)
            elif isinstance(node, ast.FunctionDef):
                defaults[node.name] = _defaulted(node)
                reading |= {node.name} if _reads_settings(node) else set()
    for file, tree in trees.items():
        found = [
            (at, 7.5, why) for n in walk(tree) if isinstance(n, ast.FunctionDef) for at, why in _left_out(n, defaults)
        ]
        found += [(at, 7.0, _AT_IMPORT) for at in _at_import(tree, reading)] if file != main else []
        yield from (Candidate(file, at, w, why, None, "other", True) for at, w, why in found if (file, at) in hops)


def _left_out(function: ast.FunctionDef, defaults: Mapping[str, set[str]]) -> Iterator[tuple[int, str]]:
    """The calls in a function that leave out an argument with a default, which another call there gives a value of the
    function's own.
    """
    calls = [n for n in walk(function) if isinstance(n, ast.Call) and last_name(n.func) in defaults]
    given = {k.arg: last_name(c.func) for c in calls for k in c.keywords if k.arg and isinstance(k.value, ast.Name)}
    for call in calls:
        name, own = last_name(call.func), {k.arg for k in call.keywords}
        left = sorted(p for p in defaults[name] & set(given) - own if given[p] != name)
        if left and not call.args and None not in own:
            yield call.lineno, f"It leaves `{left[0]}` at its default, and `{given[left[0]]}` is given one beside it."


def _with_default(cls: ast.ClassDef) -> set[str]:
    fields = set(fields_of(cls))
    return {s.target.id for s in cls.body if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
            and s.target.id in fields and s.value is not None}  # fmt: skip


def _defaulted(function: ast.FunctionDef) -> set[str]:
    args = function.args
    names = [a.arg for a in args.args][::-1][: len(args.defaults)]
    return {*names, *(a.arg for a, d in zip(args.kwonlyargs, args.kw_defaults, strict=True) if d is not None)}


def _reads_settings(function: ast.FunctionDef) -> bool:
    """Whether what a function gives depends on a table of the module: `cfg["width"]`."""
    given = {a.arg for a in (*function.args.args, *function.args.kwonlyargs)}
    bound = {n.id for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return any(
        isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id not in given | bound
        and ((isinstance(n.slice, ast.Constant) and isinstance(n.slice.value, str)) or last_name(n.slice) in given)
        for n in walk(function)
    )  # fmt: skip


_AT_IMPORT = "It is worked out once, when the module is imported: later settings do not change it."


def _at_import(tree: ast.Module, reading: set[str]) -> Iterator[int]:
    """The lines of numbers of a module that are worked out from settings as they are when it is imported."""
    for statement in tree.body:
        value = statement.value if isinstance(statement, ast.Assign) else None
        called = [n for n in walk(value) if isinstance(n, ast.Call)] if value is not None else []
        if any(last_name(call.func) in reading for call in called):
            yield statement.lineno
