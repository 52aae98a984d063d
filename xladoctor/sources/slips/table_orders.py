"""Two tables with the same keys in two orders, whose rows are put side by side as arrays: pandas would join them by
key, arrays are joined by place.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import combinations

from xladoctor.sources.held import Held, View
from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.slips.slip import Slip, scopes, within_body

_MOST = 200
"""Expressions that are followed."""
_ARRAYS = frozenset({"to_numpy", "values", "array", "asarray", "constant", "convert_to_tensor", "tolist"})
_SORTS = frozenset({"groupby", "sort_values", "sort_index", "pivot", "pivot_table", "unique", "sorted", "unstack"})
_BY_KEY = frozenset({"loc", "reindex", "merge", "join", "map", "align", "set_index", "at", "lookup", "get"})


def faults(view: View) -> Iterator[Slip]:
    """For each pair of such tables, the line that made the sorted one; else the call that takes both."""
    for scope in scopes(view.tree):
        tables = view.tables(getattr(scope, "name", "<module>"))
        pairs = [(a, b, key) for a, b in combinations(tables, 2) if (key := _apart(tables, a, b))]
        for one, other, key in pairs:
            call = next((n for n in within_body(scope) if _takes_both(view, n, one, other)), None)
            if call is not None:
                made = [(name, line) for name in (one, other) if (line := _sorted_at(view, scope, name))]
                yield Slip(
                    "two-orders-of-a-key",
                    made[0][1] if len(made) == 1 else getattr(call, "lineno", 0),
                    f"`{one}` and `{other}` have the same `{key}`, in two orders",
                    f"Both tables have one row for each `{key}`, and the run had them in two orders. Line "
                    f"{getattr(call, 'lineno', 0)} puts their rows side by side as arrays, which have no keys: each "
                    "row meets that of another one.",
                )


def _apart(tables: Mapping[str, Held], one: str, other: str) -> str | None:
    """The key of which both have the same values in another order."""
    first, second = tables[one].keys, tables[other].keys
    shared = [k for k in first if k in second and first[k][0] == second[k][0]]
    return shared[0] if shared and all(first[k][1] != second[k][1] for k in shared) else None


def _takes_both(view: View, node: ast.AST, one: str, other: str) -> bool:
    """Whether a call, a tuple or an operator takes an array of the one table beside one of the other."""
    if isinstance(node, ast.Call):
        parts = [*node.args, *(k.value for k in node.keywords)]
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
        parts = node.elts
    elif isinstance(node, ast.BinOp):
        parts = [node.left, node.right]
    else:
        return False
    if len(parts) < 2 or len(parts) > 8:
        return False
    of = [_tables_of(view, p, {one, other}, set()) for p in parts]
    return any(a == {one} for a in of) and any(b == {other} for b in of)


def _tables_of(
    view: View, node: ast.AST, tables: set[str], seen: set[tuple[int, bool]], array: bool = False
) -> set[str]:
    """The tables that an expression takes rows of, as arrays."""
    if (id(node), array) in seen or len(seen) > _MOST:
        return set()
    seen.add((id(node), array))
    name = last_name(node.func) if isinstance(node, ast.Call) else getattr(node, "attr", "")
    if name in _BY_KEY:
        return set(tables)  # joined by key: of both
    array = array or name in _ARRAYS
    if isinstance(node, ast.Name) and node.id in tables:
        return {node.id} if array else set()
    if isinstance(node, ast.Name):
        made = view.back.named(view.file, node)
        parts = [m.value for m in made if not isinstance(m.statement, ast.For | ast.With)]
    elif isinstance(node, ast.Call):
        parts = [*([node.func.value] if isinstance(node.func, ast.Attribute) else []), *node.args]
    elif isinstance(node, ast.Subscript):
        parts = [node.value]
    else:
        parts = [n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr)]
    return set[str]().union(*(_tables_of(view, p, tables, seen, array) for p in parts))


def _sorted_at(view: View, scope: ast.AST, name: str) -> int | None:
    """The line of a scope that gives a name a table in the order of its keys."""
    for node in within_body(scope):
        targets = [t.id for t in node.targets if isinstance(t, ast.Name)] if isinstance(node, ast.Assign) else []
        calls = list(nodes_of(node, ast.Call)) if name in targets else []
        if any(last_name(n.func) in _SORTS for n in calls):
            return int(getattr(node, "lineno", 0))
    return None
