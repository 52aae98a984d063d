"""All pairs of two things in a row, and a reshape that takes the inner one of both for the outer one.

Here both are known by their names alone; where their sizes are known, `sources.rows` follows the pairs further.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.names import assigned_once, keyword, last_name, nodes_of, operands
from xladoctor.sources.slips.slip import Slip

_MODULES = frozenset({"np", "numpy", "tf", "jnp", "ops", "K", "itertools"})
_COUNTS = ("arange", "range")
_OTHER = frozenset(
    {"argsort", "groupby", "mean", "pivot", "pivot_table", "sort", "sorted", "sum", "swapaxes", "transpose", "unique"}
)
"""After these the rows are others, or in another order."""
Function = ast.FunctionDef | ast.AsyncFunctionDef
Once = dict[str, ast.expr]


@dataclass(frozen=True)
class _Pairs:
    """A statement that makes pairs: how many there are of the outer and of the inner one."""

    outer: str
    inner: str
    line: int
    names: frozenset[str]


def pair_tables(tree: ast.Module) -> Iterator[Slip]:
    """`users = tile(arange(n), m)`, `items = repeat(arange(m), n)` and, of what was made of both, `reshape(n, m)`."""
    for function in nodes_of(tree, ast.FunctionDef):
        once = assigned_once(function)
        made = [*_repeated(function, once), *_at_once(function, once)]
        if len({(p.outer, p.inner) for p in made}) != 1 or made[0].outer == made[0].inner:
            continue
        pairs = made[0]
        for call in nodes_of(function, ast.Call):
            of, sizes = _reshape(call, once)
            if of is not None and call.lineno > pairs.line and _is_turned(sizes, pairs) and _is_of(of, pairs, function):
                asked = ", ".join(sizes)
                yield Slip(
                    "pairs-turned",
                    call.lineno,
                    f"Pairs are reshaped to ({asked}), and lie as ({pairs.outer}, {pairs.inner})",
                    f"Line {pairs.line} makes all pairs so that those with the same one of `{pairs.outer}` are next to "
                    f"each other, {pairs.inner} at a time. The reshape takes them in the other order, so that each row "
                    "of the table is made of pairs that belong to several rows.",
                )


def _count(node: ast.expr, once: Once) -> str:
    """How many a thing has, or the number that an expression is, by the names in the source."""
    if isinstance(node, ast.Name) and node.id in once:
        value = once[node.id]
        if _is_number(value):
            return _count(value, once)
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == "0" and last_name(node.value) == "shape":
        return f"len({ast.unparse(getattr(node.value, 'value', node))})"
    if isinstance(node, ast.Attribute) and node.attr == "size":
        return f"len({ast.unparse(node.value)})"
    if isinstance(node, ast.Call) and last_name(node.func) == "len" and len(node.args) == 1:
        return _length(node.args[0], once)
    return ast.unparse(node)


def _is_number(value: ast.expr) -> bool:
    counts = isinstance(value, ast.Call) and last_name(value.func) == "len"
    first = isinstance(value, ast.Subscript) and last_name(value.value) == "shape"
    return counts or first or (isinstance(value, ast.Attribute) and value.attr == "size")


def _length(node: ast.expr, once: Once) -> str:
    if isinstance(node, ast.Name) and node.id in once:
        value = once[node.id]
        if isinstance(value, ast.Call) and last_name(value.func) in (*_COUNTS, "list"):
            return _length(value, once)
    if isinstance(node, ast.Call) and last_name(node.func) == "list" and len(node.args) == 1:
        return _length(node.args[0], once)
    if isinstance(node, ast.Call) and last_name(node.func) in _COUNTS and len(node.args) == 1:
        return _count(node.args[0], once)
    return f"len({ast.unparse(node)})"


def _repeated(function: Function, once: Once) -> Iterator[_Pairs]:
    """A `tile` and a `repeat`, each as often as the other has items."""
    calls: dict[str, list[tuple[str, str, int, str]]] = {"tile": [], "repeat": []}
    for assign in nodes_of(function, ast.Assign):
        for call in nodes_of(assign.value, ast.Call):
            name = last_name(call.func)
            of, times = operands(call, _MODULES)
            times += [k.value for k in call.keywords if k.arg in ("reps", "repeats", "multiples")]
            if name in calls and of is not None and len(times) == 1:
                items = times[0].elts if isinstance(times[0], ast.Tuple | ast.List) else times
                if len(items) == 1:
                    target = last_name(assign.targets[0])
                    calls[name].append((_length(of, once), _count(items[0], once), call.lineno, target))
    for inner, outer_count, line, name in calls["tile"]:
        for outer, inner_count, below, other in calls["repeat"]:
            if (inner, outer) == (inner_count, outer_count):
                yield _Pairs(outer, inner, max(line, below), frozenset({name, other} - {""}))


def _at_once(function: Function, once: Once) -> Iterator[_Pairs]:
    """`meshgrid`, `product`, and a comprehension of two loops."""
    for assign in nodes_of(function, ast.Assign):
        names = frozenset(n.id for t in assign.targets for n in nodes_of(t, ast.Name))
        for node in nodes_of(assign.value, ast.Call):
            name, args = last_name(node.func), node.args
            if name not in ("meshgrid", "product") or len(args) != 2:
                continue
            indexing = keyword(node, "indexing")
            if name == "product" or (indexing is not None and "ij" in ast.unparse(indexing)):
                yield _Pairs(_length(args[0], once), _length(args[1], once), node.lineno, names)
            elif indexing is None or "xy" in ast.unparse(indexing):
                yield _Pairs(_length(args[1], once), _length(args[0], once), node.lineno, names)
        for made in nodes_of(assign.value, ast.ListComp):
            loops = made.generators
            pair = isinstance(made.elt, ast.Tuple | ast.List) and len(made.elt.elts) == 2
            if pair and len(loops) == 2 and not any(g.ifs for g in loops):
                yield _Pairs(_length(loops[0].iter, once), _length(loops[1].iter, once), made.lineno, names)


def _reshape(call: ast.Call, once: Once) -> tuple[ast.expr | None, list[str]]:
    """(what is reshaped, to which sizes)."""
    if last_name(call.func) != "reshape" or keyword(call, "order") is not None:
        return None, []
    of, sizes = operands(call, _MODULES)
    sizes += [k.value for k in call.keywords if k.arg in ("shape", "newshape")]
    items = sizes[0].elts if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List) else sizes
    return of, [_count(i, once) for i in items] if len(items) >= 2 else []


def _is_turned(sizes: list[str], pairs: _Pairs) -> bool:
    """Whether the first size is that of the inner one, and the second that of the outer one, or is left open."""
    if len(sizes) != 2:
        return False
    turned = [sizes[0] in (pairs.inner, "-1"), sizes[1] in (pairs.outer, "-1")]
    return all(turned) and sizes != ["-1", "-1"]


def _is_of(node: ast.expr, pairs: _Pairs, function: Function) -> bool:
    """Whether an expression is made of the pairs, row by row as far as names say."""
    known = set(pairs.names)
    for assign in sorted(nodes_of(function, ast.Assign), key=lambda a: a.lineno):
        if assign.lineno > pairs.line:
            target = {n.id for t in assign.targets for n in nodes_of(t, ast.Name)}
            known = known | target if _keeps(assign.value, known) else known - target
    return _keeps(node, known)


def _keeps(value: ast.expr, known: set[str]) -> bool:
    calls = {last_name(c.func) for c in nodes_of(value, ast.Call)}
    used = {n.id for n in nodes_of(value, ast.Name)} & known
    picked = any(
        used & {n.id for n in nodes_of(s.value, ast.Name)} and not isinstance(s.slice, ast.Tuple | ast.Constant)
        for s in nodes_of(value, ast.Subscript)
    )
    return bool(used) and not calls & _OTHER and not picked
