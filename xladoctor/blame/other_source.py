"""A value that is taken from another source than those beside it: a field of the defaults among fields of the settings
in use, the values of an attention from the queries, a size where others take its square.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.blame.bindings import Line
from xladoctor.blame.crash import Crash
from xladoctor.blame.follow import Follower
from xladoctor.blame.suspicion import Candidate, Found, conventions
from xladoctor.sources.files import Files
from xladoctor.sources.names import assigned_once, called, last_name, names_in, nodes_of, parameters, walk
from xladoctor.sources.slips.copied import copied

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_KEYS, _VALUES = ("k", "key", "keys"), ("v", "value", "values")


def of_other_sources(hops: Mapping[Line, int], crash: Crash, run: Follower, files: Files) -> Iterator[Candidate]:
    """The lines among those that the failure depends on."""
    squares = {a for a in crash.sizes if a > 1 and a * a in crash.sizes}
    trees = files.trees(f for f, _ in hops)
    squared = {name for tree in trees.values() for n in walk(tree) if (name := _squared(n))} if squares else set()
    taken: dict[str, list[Found]] = {}
    for file, slip in copied(trees, crash.seen.argv) if len(set(crash.sizes)) > 1 else ():
        taken.setdefault(file, []).append((slip.line, 8.4, f"{slip.title}: it is set again afterwards."))
    for file, tree in trees.items():
        found: list[Found] = list(taken.get(file, ()))
        for function in (n for n in walk(tree) if isinstance(n, _Function)):
            found += [*_of_defaults(function), *_of_values(function)]
        for call in nodes_of(tree, ast.Call) if squared else ():
            found += [f for part, f in _of_roots(call, squared) if (run.numbers.get(part) or squares) & squares]
        yield from conventions(file, found, hops)


def _of_defaults(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Found]:
    """`Embed(cfg.words, DEFAULTS.length, cfg.width)`: one field of a table that the function is not given."""
    given = set(parameters(function))
    for call in nodes_of(function, ast.Call):
        parts = [a for a in (*call.args, *(k.value for k in call.keywords)) if isinstance(a, ast.Attribute)]
        bases = [a.value.id for a in parts if isinstance(a.value, ast.Name)]
        own = next((b for b in bases if b in given and bases.count(b) > 1), "")
        for part in parts:
            base = part.value.id if isinstance(part.value, ast.Name) else ""
            if own and base not in (own, "self", "") and base.isupper():
                reason = f"It takes `{part.attr}` from `{base}`, and all else from `{own}`."
                yield part.lineno, 9.0, reason


def _of_values(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Found]:
    """`k = key(memory)` beside `v = value(query)`: keys and values are of one and the same."""
    made = assigned_once(function)
    of = [next((made[n] for n in names if n in made), None) for names in (_KEYS, _VALUES)]
    keys, values = of
    given = set(parameters(function)) - {"self"}
    if keys is None or values is None or not given:
        return
    one, other = names_in(keys) & given, names_in(values) & given
    if one and other and not one & other:
        reason = f"It makes the values of `{min(other)}`, and the keys are made of `{min(one)}`."
        yield values.lineno, 8.8, reason


def _squared(node: ast.AST) -> str:
    """`side` of `side ** 2` and `side * side`."""
    if not isinstance(node, ast.BinOp):
        return ""
    twice = isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2
    itself = isinstance(node.op, ast.Mult) and ast.unparse(node.left) == ast.unparse(node.right)
    return called(node.left) if twice or itself else ""


_TAKES = frozenset(
    {"Input", "InputLayer", "Dense", "Conv1D", "Conv2D", "Reshape", "TensorSpec", "placeholder", "zeros"}
)


def _of_roots(call: ast.Call, squared: set[str]) -> Iterator[tuple[ast.expr, Found]]:
    """`Input((n, n, side))`, where other lines have `side ** 2` of them: the size, and what is against it."""
    if last_name(call.func) not in _TAKES:
        return
    parts: Sequence[ast.expr] = [*call.args, *(k.value for k in call.keywords)]
    parts = [e for p in parts for e in (p.elts if isinstance(p, ast.Tuple | ast.List) else [p])]
    for part in parts:
        if called(part) in squared and not isinstance(part, ast.BinOp):
            said = f"It takes `{ast.unparse(part)}`, and other lines take the square of it."
            yield part, (part.lineno, 8.6, said)
