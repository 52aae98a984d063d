"""Lags, differences and rolling values of a table of several groups that are not taken by group.

The first row of a group gets the value of the last row of the group before it. That the rows belong to groups, a sister
says that does it by `groupby`, or a sort by the group and then by time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import around, keyword, last_name, names_in, nodes_of, parameters, parents_of, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, FUNCTIONS, LOOPS, Slip, scopes, within_body

_ALONG = frozenset({"shift", "rolling", "diff", "pct_change", "ffill", "bfill", "cumsum", "ewm", "expanding"})
"""Methods whose value for a row depends on the rows before it."""
_CALENDAR = re.compile(
    r"hour|day|week|month|year|season|quarter|date|dow|time|block|streak|period|fold|split", re.IGNORECASE
)
"""Groups of one series: what is before the first of a month is the last of another."""


def table_borders(tree: ast.Module) -> Iterator[Slip]:
    """Each such line."""
    if not any(isinstance(n, ast.Attribute) and n.attr == "groupby" for n in walk(tree)):
        return
    above = parents_of(tree)
    grouped = {key for call in nodes_of(tree, ast.Call) if last_name(call.func) == "groupby" for key in _keys(call)}
    seen: set[int] = set()
    for scope in scopes(tree):
        nodes = list(within_body(scope))
        own = set(parameters(scope)) if isinstance(scope, FUNCTIONS) else set()
        for call in (n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in _ALONG):
            table, column = _table(call)
            if not table or call.lineno in seen:
                continue
            of_group = table in own and _is_for_groups(tree, getattr(scope, "name", ""))
            sorts = "" if of_group else _sorted_by(nodes, table, grouped, call.lineno)
            group = _grouped_beside(nodes, table) or sorts
            if not group or column == group or _is_border(tree, group) or _is_part(nodes, table):
                continue
            if any(isinstance(n, ast.Compare | ast.Lambda) for n in around(call, above) if n in nodes):
                continue
            seen.add(call.lineno)
            yield _slip(call, table, group)


def _slip(call: ast.Call, table: str, group: str) -> Slip:
    method = last_name(call.func)
    return Slip(
        "over-groups",
        call.lineno,
        f"`{method}` goes from one `{group}` to the next: the rows are not grouped",
        f"`{table}` has the rows of several `{group}` one after the other, and `{ast.unparse(call)[:60]}` goes over "
        f"all of them. So the first rows of each `{group}` get values of another one. "
        f'`{table}.groupby("{group}")` keeps them apart.',
    )


def _table(call: ast.Call) -> tuple[str, str]:
    """(table, column) of `table["column"].shift(1)` and `table.column.shift(1)`."""
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    if isinstance(of, ast.Subscript) and isinstance(of.value, ast.Name):
        column = of.slice.value if isinstance(of.slice, ast.Constant) else ""
        plain = isinstance(of.slice, ast.Constant | ast.List | ast.Name | ast.JoinedStr)
        return (of.value.id, str(column)) if plain else ("", "")
    if isinstance(of, ast.Attribute) and isinstance(of.value, ast.Name) and of.value.id not in ("self", "np", "pd"):
        return of.value.id, of.attr
    return "", ""


def _keys(call: ast.Call) -> list[str]:
    """The columns that `groupby` and `sort_values` are given."""
    given = call.args[0] if call.args else keyword(call, "by")
    items = given.elts if isinstance(given, ast.List | ast.Tuple) else [given]
    return [i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)]


def _grouped_beside(nodes: list[ast.AST], table: str) -> str:
    """The column by which the same lines group the table for a method of this kind."""
    for call in (n for n in nodes if isinstance(n, ast.Call) and last_name(n.func) in _ALONG):
        inner = [n for n in nodes_of(call.func, ast.Call) if last_name(n.func) == "groupby"]
        for group in (g for g in inner if isinstance(g.func, ast.Attribute) and last_name(g.func.value) == table):
            keys = _keys(group)
            if len(keys) == 1 and not _CALENDAR.search(keys[0]):
                return keys[0]
    return ""


def _sorted_by(nodes: list[ast.AST], table: str, grouped: set[str], line: int) -> str:
    """The first of several columns by which the table was sorted before, if the program groups by it somewhere."""
    found = ""
    for node in sorted((n for n in nodes if isinstance(n, ast.Assign)), key=lambda n: n.lineno):
        if node.lineno >= line or [last_name(t) for t in node.targets] != [table]:
            continue
        sorts = [c for c in nodes_of(node.value, ast.Call) if last_name(c.func) == "sort_values"]
        keys = _keys(sorts[0]) if sorts else []
        several = len(keys) > 1 and keys[0] in grouped and not _CALENDAR.search(keys[0])
        found = keys[0] if several else ""
    return found


def _is_border(tree: ast.Module, group: str) -> bool:
    """Whether the program asks where a group begins: `table[group] != table[group].shift()`, `cumcount() > 0`."""
    if any(last_name(n.func) == "cumcount" for n in nodes_of(tree, ast.Call)):
        return True
    for node in nodes_of(tree, ast.Compare):
        text = ast.unparse(node)
        if "shift" in text and group in text:
            return True
    return False


def _is_for_groups(tree: ast.Module, name: str) -> bool:
    """Whether a function may get one group at a time: it is handed on, or a loop over groups calls it."""
    handed = any(
        last_name(a) == name for c in nodes_of(tree, ast.Call) for a in (*c.args, *(k.value for k in c.keywords))
    )
    loops = [n for n in walk(tree) if isinstance(n, (*LOOPS, *COMPREHENSIONS)) and name in _called(n)]
    return handed or bool(loops)


def _called(node: ast.AST) -> set[str]:
    return {last_name(c.func) for c in nodes_of(node, ast.Call)}


def _is_part(nodes: list[ast.AST], table: str) -> bool:
    """Whether the table may be one group: what a loop goes through, or rows that a test selects."""
    for node in nodes:
        if isinstance(node, ast.For) and table in names_in(node.target):
            return True
        if isinstance(node, ast.Assign) and table in {last_name(t) for t in node.targets}:
            chosen = [n for n in nodes_of(node.value, ast.Subscript) if isinstance(n.slice, ast.Compare)]
            asked = [c for c in nodes_of(node.value, ast.Call) if last_name(c.func) in ("query", "get_group", "xs")]
            if chosen or asked:
                return True
    return False
