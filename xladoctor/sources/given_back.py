"""Results of a loop over a shuffled dataset that a function gives back without their labels, and that its callers put
beside something else by place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import PurePath

from xladoctor.sources.loops import beside, kept_of, leaves_labels
from xladoctor.sources.names import given, last_name, nodes_of, parents_of, walk

_ONE_NUMBER = frozenset(
    {"average", "bincount", "cov", "histogram", "len", "max", "mean", "median", "min", "norm", "percentile", "quantile",
     "reduce_max", "reduce_mean", "reduce_min", "reduce_sum", "sort", "sorted", "std", "sum", "unique", "var"}
)  # fmt: skip
_OF_KERAS = frozenset({"call", "evaluate", "fit", "predict"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def given_back(trees: Mapping[str, ast.Module], file: str, line: int) -> str | None:
    """What a loop at a line calls with the rows of a dataset, if the function around it returns the results, and a
    caller puts these beside something that was not made of them.
    """
    tree = trees.get(file)
    found = leaves_labels(tree, line) if tree is not None else None
    if tree is None or found is None:
        return None
    body, called = found
    inside = [f for f in walk(tree) if isinstance(f, _FUNCTIONS) and f.lineno <= line <= (f.end_lineno or 0)]
    function = max(inside, key=lambda f: f.lineno, default=None)
    if function is None or not _returns_rows(function, body):
        return None
    method = any(function in owner.body for owner in nodes_of(tree, ast.ClassDef))
    for other in trees.values():
        for scope, call in _calls(other, function.name, PurePath(file).stem, method, other is tree):
            if _put_beside(trees, scope, call):
                return called
    return None


def _returns_rows(function: ast.AST, body: ast.AST) -> bool:
    """Whether a function returns what a loop kept, all of it, and nothing beside it."""
    kept, inner = kept_of(function, body), set(map(id, walk(body)))
    values = [r.value for r in nodes_of(function, ast.Return) if r.value is not None]
    made = [a.value for a in nodes_of(function, ast.Assign)]
    for value in (*values, *made):
        of = kept & _names(value) or any(id(n) in inner for n in walk(value))
        outer = [c for c in nodes_of(value, ast.Call) if id(c) not in inner]
        if of and any(last_name(c.func) in _ONE_NUMBER for c in outer):
            return False
    rows = [v for v in values if kept & _names(v) or body in walk(v)]
    return len(values) == len(rows) == 1 and not isinstance(rows[0], ast.Tuple | ast.Dict | ast.List)


def _calls(tree: ast.Module, name: str, module: str, method: bool, same: bool) -> Iterator[tuple[ast.AST, ast.Call]]:
    """(function or module around it, call) of the calls of a function of the program."""
    above = parents_of(tree)
    for call in nodes_of(tree, ast.Call):
        of = call.func.value if isinstance(call.func, ast.Attribute) else None
        if last_name(call.func) != name:
            continue
        plain = of is None and not method and (same or _imports(tree, name))
        if not (plain or (of is not None and (name not in _OF_KERAS if method else last_name(of) == module))):
            continue
        scope: ast.AST = call
        while scope is not tree and not isinstance(scope, _FUNCTIONS):
            scope = above[scope]
        yield scope, call


def _imports(tree: ast.Module, name: str) -> bool:
    return any(a.name in (name, "*") for n in nodes_of(tree, ast.ImportFrom) for a in n.names)


def _put_beside(trees: Mapping[str, ast.Module], scope: ast.AST, call: ast.Call) -> bool:
    """Whether what a call gives meets something that is not from such a pass, here or in the function it is given."""
    name = last_name(call.func)
    again = {
        t.id
        for a in nodes_of(scope, ast.Assign)
        if any(last_name(c.func) == name for c in nodes_of(a.value, ast.Call))
        for t in a.targets
        for t in nodes_of(t, ast.Name)
    }
    kept = kept_of(scope, call)
    others = again - kept
    for node in walk(scope):
        if _names(node) & others or not isinstance(node, ast.expr):
            continue
        if beside(node, kept) or (isinstance(node, ast.Call) and _zips(trees, node, kept, call)):
            return True
    return False


def _zips(trees: Mapping[str, ast.Module], node: ast.Call, kept: set[str], call: ast.Call) -> bool:
    """Whether a function of the program gets the results, and goes through them and another parameter together."""
    name = last_name(node.func)
    own = [f for tree in trees.values() for f in walk(tree) if isinstance(f, _FUNCTIONS) and f.name == name]
    if len(own) != 1 or node is call:
        return False
    pairs = given(node, own[0])
    results = {p for p, v in pairs if v is call or (isinstance(v, ast.Name) and v.id in kept)}
    others = {p for p, v in pairs if not (_names(v) & kept or call in walk(v)) and not isinstance(v, ast.Constant)}
    for inner in nodes_of(own[0], ast.Call):
        together = {a.id for a in inner.args if isinstance(a, ast.Name)} if last_name(inner.func) == "zip" else set()
        if together & results and together & others:
            return True
    return any(beside(n, results) and _names(n) & others for n in walk(own[0]))


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in nodes_of(node, ast.Name)}
