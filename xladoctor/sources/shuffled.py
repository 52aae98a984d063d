"""Rows that a program shuffles without the labels that belong to them, before it hands both to a `fit`.

Read in one scope, from the top down. `np.random.shuffle(x)`, or `x = rng.permutation(x)`, moves the rows of `x`; labels
that stood there before, that come to the `fit` by slices and casts alone, and that nothing else moved, are not those of
the rows any more. Labels that are shuffled alone are often meant so (a control), and are no matter here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import keyword, last_name, names_in, operands
from xladoctor.sources.order import scope_at

_IN_PLACE = frozenset({"shuffle"})
_GIVES = frozenset({"permutation", "permuted", "shuffle"})
_KEEPS = frozenset(
    {
        "Variable", "array", "asarray", "ascontiguousarray", "astype", "constant", "convert_to_tensor", "copy",
        "expand_dims", "one_hot", "ravel", "reshape", "squeeze", "to_categorical",
    }
)  # fmt: skip
_MODULES = frozenset({"keras", "np", "numpy", "tensorflow", "tf", "utils"})
_DEPTH = 8


@dataclass(frozen=True)
class OutOfStep:
    """A shuffle of rows whose labels were left where they were."""

    line: int
    rows: str
    labels: str


def out_of_step(tree: ast.Module, line: int) -> OutOfStep | None:
    """What is wrong with the rows and labels of the `fit` at a line."""
    scope = scope_at(tree, line)
    calls = (c for c in ast.walk(scope) if isinstance(c, ast.Call) and last_name(c.func) == "fit")
    call = next((c for c in calls if c.lineno <= line <= (c.end_lineno or 0)), None)
    if call is None:
        return None
    rows, labels = _argument(call, 0, "x"), _argument(call, 1, "y")
    if rows is None or labels is None:
        return None
    body = list(_statements(scope))
    always = list(_statements(scope, line))
    ways = [list(_way(body, name, call.lineno)) for name in (rows, labels)]
    moved = _moved(body, ways[0])
    if len(moved) != 1 or moved != _moved(always, ways[0]) or _moved(body, ways[1]):
        return None
    shuffle, name = moved[0]
    first, since = ways[1][-1]
    # Labels that were made later may have been made of the rows as they lie now.
    made = [s.lineno for s in body if first in _assigned(s) and s.lineno < since]
    if not made or max(made) >= shuffle or first in {n for n, _ in ways[0]}:
        return None
    if any(first in names_in(s) and (_shuffles(s) or _changes(s, first)) for s in body if s.lineno < call.lineno):
        return None
    return OutOfStep(shuffle, name, first)


def _statements(scope: ast.AST, line: int | None = None) -> Iterator[ast.stmt]:
    """The simple statements of a scope in the order of their lines, without those of functions within it; with a `line`
    only those that run whenever it does: no branch that it does not stand in.
    """
    for node in ast.iter_child_nodes(scope):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        may_not_run = isinstance(node, (ast.If, ast.Try, ast.Match, ast.ExceptHandler))
        if line is not None and may_not_run and not node.lineno <= line <= (node.end_lineno or 0):  # type: ignore[attr-defined]
            continue
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)):
            yield node
        elif isinstance(node, (ast.stmt, ast.ExceptHandler)):
            yield from _statements(node, line)


def _way(body: list[ast.stmt], name: str, before: int) -> Iterator[tuple[str, int]]:
    """(name, the line before which it is used) of the values of which one is made by slices and casts alone; nothing
    where another expression made one of them of something else.
    """
    for _ in range(_DEPTH):
        yield name, before
        made = (s for s in body if name in _assigned(s) and s.lineno < before and not _moves(s, name))
        last = max(made, key=lambda s: s.lineno, default=None)
        alone = isinstance(last, (ast.Assign, ast.AnnAssign)) and _assigned(last) == {name}
        base = _base(last.value) if alone and last.value is not None else None  # type: ignore[union-attr]
        if last is None or base is None or base == name:
            return
        name, before = base, last.lineno


def _base(value: ast.expr) -> str | None:
    """The array whose rows an expression has, in their order."""
    if isinstance(value, ast.Name):
        return value.id
    if isinstance(value, ast.Subscript):
        first = value.slice.elts[0] if isinstance(value.slice, ast.Tuple) and value.slice.elts else value.slice
        return _base(value.value) if isinstance(first, ast.Slice) and first.step is None else None
    if isinstance(value, ast.BinOp) and isinstance(value.right, ast.Constant):
        return _base(value.left)
    if isinstance(value, ast.Call) and last_name(value.func) in _KEEPS:
        of = operands(value, _MODULES)[0]
        return _base(of) if of is not None else None
    return None


def _moved(body: list[ast.stmt], way: list[tuple[str, int]]) -> list[tuple[int, str]]:
    """(line, name) of the shuffles of one of these values before it is used."""
    return [(s.lineno, name) for name, before in way for s in body if s.lineno < before and _moves(s, name)]


def _moves(statement: ast.stmt, name: str) -> bool:
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Call) or not value.args or not isinstance(value.args[0], ast.Name):
        return False
    if value.args[0].id != name or len(value.args) > 1 or any(k.arg == "axis" for k in value.keywords):
        return False
    if isinstance(statement, ast.Expr):
        return last_name(value.func) in _IN_PLACE
    return _assigned(statement) == {name} and last_name(value.func) in _GIVES


def _shuffles(statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Call) and last_name(n.func) in _GIVES for n in ast.walk(statement))


def _changes(statement: ast.stmt, name: str) -> bool:
    """Whether a function of the program is called with a value, and its result is not used: it may change the value."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id == "print":
        return False
    return any(isinstance(a, ast.Name) and a.id == name for a in call.args)


def _assigned(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a value."""
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    else:
        targets = [statement.target] if isinstance(statement, (ast.AnnAssign, ast.AugAssign)) else []
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _argument(call: ast.Call, at: int, name: str) -> str | None:
    given = call.args[at] if at < len(call.args) else keyword(call, name)
    return given.id if isinstance(given, ast.Name) else None
