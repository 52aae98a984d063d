"""Rows in the order of groups, taken as an array for a table whose rows are not: `rolling` and `apply` of a `groupby`
put the rows of each group together, and only their labels say which row they were.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View, returned
from xladoctor.sources.names import keyword, last_name, nodes_of
from xladoctor.sources.slips.orders import in_order
from xladoctor.sources.slips.slip import Slip

_ARRAYS = frozenset({"to_numpy", "values"})
_WINDOWS = frozenset({"rolling", "expanding", "ewm"})
_BY_LABEL = frozenset(
    {"sort_index", "reindex", "reindex_like", "loc", "droplevel", "reset_index", "transform", "merge", "join",
     "unstack", "pivot", "swaplevel", "xs", "align", "set_index"}
)  # fmt: skip
_ONE = frozenset({"mean", "sum", "max", "min", "std", "var", "median", "any", "all", "size", "shape", "quantile"})
_OF_EACH_ROW = frozenset({"shift", "diff", "rank", "cumsum", "cumprod", "pct_change", "ffill", "bfill", "fillna"})


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for node in nodes_of(view.tree, ast.Attribute):
        if node.attr not in _ARRAYS or _is_reduced(view, node):
            continue
        found = _by_group(view, node.value)
        if found is None or in_order(view, found[1]):
            continue
        how, key = found
        yield Slip(
            "two-orders-of-a-key",
            node.lineno,
            f"`{ast.unparse(node.value)[:50]}` has its rows in the order of `{key}`, and not in that of the table",
            f"`{how}` of `groupby` gives the rows of each `{key}` one after the other. As an array they have no "
            "labels, and each meets another row of the table. Keep the Series, which pandas joins by label, or use "
            "`transform`.",
        )


def _by_group(view: View, node: ast.expr) -> tuple[str, str] | None:
    """(method, key) of an expression that has a row for each row of a table, by groups of a key."""
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        return _by_group(view, made[0].value) if len(made) == 1 and made[0].file == view.file else None
    how, here = "", node
    while isinstance(here, ast.Call | ast.Attribute | ast.Subscript):
        name = last_name(here.func) if isinstance(here, ast.Call) else getattr(here, "attr", "")
        if name in _BY_LABEL:
            return None
        if isinstance(here, ast.Call) and name == "groupby":
            key = here.args[0] if here.args else None
            return (how, key.value) if how and isinstance(key, ast.Constant) and isinstance(key.value, str) else None
        if isinstance(here, ast.Call) and (name in _WINDOWS or (name == "apply" and _gives_rows(view, here))):
            how = name
        here = here.func if isinstance(here, ast.Call) else here.value
    return None


def _gives_rows(view: View, call: ast.Call) -> bool:
    """Whether what is applied to a group gives a row for each row of it."""
    applied = call.args[0] if call.args else None
    if isinstance(applied, ast.Lambda):
        return _is_of_rows(applied.body, {a.arg for a in applied.args.args})
    own = view.back.functions.get(applied.id, ()) if isinstance(applied, ast.Name) else ()
    functions = [f for _, f in own if isinstance(f, ast.FunctionDef)]
    values = [(v, {a.arg for a in f.args.args}) for f in functions for v in returned(f)]
    return bool(values) and all(_is_of_rows(value, given) for value, given in values)


def _is_of_rows(value: ast.expr, given: set[str]) -> bool:
    """`pd.Series(z, index=group.index)`, `group["x"].shift(1)`, `group["x"] - group["x"].mean()`."""
    if isinstance(value, ast.Call):
        index = keyword(value, "index")
        if isinstance(index, ast.Attribute) and index.attr == "index":
            return last_name(index.value) in given
        own = value.func.value if isinstance(value.func, ast.Attribute) else None
        return last_name(value.func) in _OF_EACH_ROW and own is not None and _is_column(own, given)
    if isinstance(value, ast.BinOp):
        return any(_is_column(side, given) or _is_of_rows(side, given) for side in (value.left, value.right))
    return False


def _is_column(node: ast.expr, given: set[str]) -> bool:
    """`group["x"]`, `group.x`, or the group itself."""
    return last_name(node.value if isinstance(node, ast.Subscript | ast.Attribute) else node) in given


def _is_reduced(view: View, node: ast.Attribute) -> bool:
    """Whether only one number is made of the array, which has no order."""
    above = view.above.get(node)
    if isinstance(above, ast.Call) and above.func is node:
        above = view.above.get(above)
    if isinstance(above, ast.Attribute):
        return above.attr in _ONE
    return isinstance(above, ast.Call) and last_name(above.func) in (*_ONE, "len", "print", "hist", "sorted", "sort")
