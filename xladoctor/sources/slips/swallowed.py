"""Keywords that `**kwargs` takes and nothing reads, where the function has a parameter of nearly the same name."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.sources.names import last_name, nodes_of, parameters, positional, walk
from xladoctor.sources.slips.options import meant
from xladoctor.sources.slips.slip import FUNCTIONS, Slip


def swallowed(trees: Mapping[str, ast.Module]) -> Iterator[tuple[str, Slip]]:
    """`build(dropout=0.5)` of `def build(dropout_rate=0.1, **kwargs)`, which never reads `kwargs`."""
    nodes = [n for tree in trees.values() for n in walk(tree)]
    functions = [n for n in nodes if isinstance(n, FUNCTIONS)]
    names = [f.name for f in functions]
    owners = {id(m): c.name for c in nodes if isinstance(c, ast.ClassDef) for m in c.body}
    known = {
        owners.get(id(f), f.name) if f.name == "__init__" else f.name: f
        for f in functions
        if (f.name == "__init__" and id(f) in owners) or (names.count(f.name) == 1 and id(f) not in owners)
    }
    for file, tree in trees.items():
        for call in nodes_of(tree, ast.Call):
            function = known.get(last_name(call.func))
            keys = _keys(function) if function is not None else None
            if function is None or keys is None or any(k.arg is None for k in call.keywords):
                continue
            for word in call.keywords:
                slip = _slip(call, word, function, keys)
                if slip is not None:
                    yield file, slip


def _keys(function: ast.FunctionDef | ast.AsyncFunctionDef) -> set[str] | None:
    """What a function reads of its `**kwargs`; None where something else gets them whole, or where it has none."""
    if function.args.kwarg is None or function.decorator_list:
        return None
    name, keys, seen = function.args.kwarg.arg, set[str](), 0
    for node in walk(function):
        asked: Sequence[ast.expr] = ()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
            asked = node.args[:1] if last_name(node.func.value) == name else ()
        elif isinstance(node, ast.Subscript) and last_name(node.value) == name:
            asked = [node.slice]
        elif isinstance(node, ast.Compare) and last_name(node.comparators[0]) == name:
            asked = [node.left]
        for key in asked:
            if not isinstance(key, ast.Constant):
                return None
            keys.add(str(key.value))
            seen += 1
    loads = sum(n.id == name for n in nodes_of(function, ast.Name))
    return keys if loads == seen else None


def _slip(
    call: ast.Call, word: ast.keyword, function: ast.FunctionDef | ast.AsyncFunctionDef, keys: set[str]
) -> Slip | None:
    given = {*positional(function)[: len(call.args)], *(str(k.arg) for k in call.keywords)}
    known = {*parameters(function), *keys}
    name = str(word.arg)
    if name in known:
        return None
    near = next((k for k in sorted(known - given) if meant(k, [name]) is not None), None)
    if near is None:
        return None
    return Slip(
        "argument-ignored",
        word.value.lineno,
        f"`{name}` has no effect: `{last_name(call.func)}` knows `{near}`",
        f"`**{function.args.kwarg.arg if function.args.kwarg else ''}` takes `{name}`, and nothing reads it. `{near}` "
        "keeps its default.",
    )
