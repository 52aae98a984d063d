"""Two orders of one key: as the values appear, sorted, or in no order; and both are paired."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip

_DEPTH = 8
_KEEPS = frozenset(
    {
        "to_numpy",
        "tolist",
        "to_list",
        "astype",
        "reshape",
        "ravel",
        "flatten",
        "squeeze",
        "copy",
        "numpy",
        "asarray",
        "array",
        "list",
        "predict",
        "float32",
        "abs",
        "round",
        "reset_index",
        "values",
        "enumerate",
        "mean",
        "sum",
        "std",
        "max",
        "min",
        "count",
        "size",
        "first",
        "last",
        "median",
        "agg",
    }
)
_MODULES = frozenset({"np", "numpy", "tf", "pd"})
_BESIDE = frozenset(
    {"bar", "barh", "column_stack", "corrcoef", "errorbar", "linregress", "pearsonr", "plot", "polyfit", "scatter",
     "spearmanr"}
)  # fmt: skip
_ARRAYS = frozenset({"array", "asarray", "constant", "to_list", "to_numpy", "tolist"})
_WORDS = {
    "table": "as the table has them",
    "listed": "as they are written",
    "appear": "as they first appear",
    "sorted": "sorted",
    "hash": "in no order",
}


@dataclass(frozen=True)
class Order:
    """In which order something has one item for each value of a key."""

    how: str
    key: str


def faults(view: View) -> Iterator[Slip]:
    """`zip`, tables, dicts and differences of two that are in two orders of one key."""
    for node in walk(view.tree):
        for one, other in _pairs(node):
            first, second = (_order(view, e, _DEPTH) or _listed(view, e) for e in (one, other))
            first = first or (_of_table(view, one, second, other) if second is not None else None)
            second = second or (_of_table(view, other, first, one) if first is not None else None)
            if first is None or second is None or first.key != second.key or first.how == second.how:
                continue
            known = "table" in (first.how, second.how)
            if _alike(view, one, other) or (not known and in_order(view, first.key)):
                continue
            yield Slip(
                "two-orders-of-a-key",
                _sorted_at(view, other if first.how == "table" else one, node) if known else getattr(node, "lineno", 0),
                f"`{ast.unparse(one)[:40]}` and `{ast.unparse(other)[:40]}` have the values of `{first.key}` in two "
                "orders",
                f"The values of `{first.key}` are {_WORDS[first.how]} in one, and {_WORDS[second.how]} in the other: "
                "`unique` of pandas and `dict.fromkeys` keep the order in which values appear, `np.unique`, `sorted` "
                "and `groupby` sort them, and a `set` has no order. So items are paired with those of other values.",
            )


def _listed(view: View, node: ast.AST) -> Order | None:
    """The order of a list or dict that is written out, and is not sorted."""
    if not isinstance(node, ast.Name):
        return None
    made = view.back.values(view.file, node)
    value = made[0].value if len(made) == 1 else None
    items = value.keys if isinstance(value, ast.Dict) else value.elts if isinstance(value, ast.List | ast.Tuple) else []
    texts = [i.value for i in items if isinstance(i, ast.Constant) and isinstance(i.value, str)]
    return Order("listed", node.id) if len(texts) == len(items) > 1 and texts != sorted(texts) else None


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name == "zip" and len(node.args) > 1:
            yield from ((node.args[0], other) for other in node.args[1:])
        elif name in _BESIDE and node.args:
            first = node.args[0]
            items = first.elts if isinstance(first, ast.Tuple | ast.List) else node.args[:2]
            yield from ((items[0], other) for other in items[1:])
        elif name == "fit" and len(node.args) > 1:
            yield node.args[0], node.args[1]
        elif name in ("DataFrame", "Series") and node.args:
            first = node.args[0]
            if isinstance(first, ast.Dict) and first.values:
                yield from ((first.values[0], other) for other in first.values[1:])
            index = keyword(node, "index")
            if index is not None and not isinstance(first, ast.Dict):
                yield index, first
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        if isinstance(getattr(node.targets[0].slice, "value", None), str):
            yield node.targets[0].value, node.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub | ast.Mult | ast.Div | ast.Add):
        yield node.left, node.right


def _of_table(view: View, node: ast.AST, other: Order, beside: ast.expr) -> Order | None:
    """The order in which a table, or a column of it, has the values of a key by which an array beside it is sorted: a
    Series would be joined by its labels.
    """
    if other.how != "sorted" or not _is_array(view, beside):
        return None
    here: ast.AST = node
    for _ in range(_DEPTH):
        held = view.held(here) if isinstance(here, ast.Name) else None
        if held is not None:
            known = held.kind == "table" and other.key in held.keys
            return Order("sorted" if other.key in held.rising else "table", other.key) if known else None
        below: ast.AST | None = (
            getattr(here, "value", None) if isinstance(here, ast.Subscript | ast.Attribute) else None
        )
        if isinstance(here, ast.Name):
            made = view.back.values(view.file, here)
            below = made[0].value if len(made) == 1 else None
        elif isinstance(here, ast.Call) and last_name(here.func) in _KEEPS:
            below = here.args[0] if here.args and last_name(here.func) in _ARRAYS else getattr(here.func, "value", None)
        if below is None or "loc" in (getattr(here, "attr", ""), getattr(below, "attr", "")):
            return None
        here = below
    return None


def _sorted_at(view: View, side: ast.expr, node: ast.AST) -> int:
    """The line that puts a side beside a table into order; else that of both."""
    for value, file in (
        (side, view.file),
        *((m.value, m.file) for m, _ in zip(view.made(side), range(_DEPTH), strict=False)),
    ):
        if file == view.file and any(last_name(c.func) in ("groupby", "unique") for c in nodes_of(value, ast.Call)):
            return value.lineno
    return int(getattr(node, "lineno", 0))


def _is_array(view: View, node: ast.expr) -> bool:
    """Whether the labels of a Series were taken off, here or where it was made."""
    values = [node, *(m.value for m, _ in zip(view.made(node), range(_DEPTH), strict=False))]
    return any(
        last_name(getattr(n, "func", n)) in _ARRAYS or getattr(n, "attr", "") == "values"
        for v in values
        for n in walk(v)
    )


def _order(view: View, node: ast.AST, depth: int) -> Order | None:
    """The order of what an expression has."""
    if not depth:
        return None
    if isinstance(node, ast.Name):
        made = view.back.named(view.file, node)
        found = [m for m in made if isinstance(m.statement, ast.Assign | ast.AnnAssign)]
        return _order(view, found[0].value, depth - 1) if len(found) == len(made) == 1 else None
    if isinstance(node, ast.Attribute) and node.attr in ("values", "index"):
        return _order(view, node.value, depth - 1)
    if isinstance(node, ast.Subscript):
        slices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        whole = isinstance(slices[0], ast.Slice) and slices[0].lower is slices[0].upper is slices[0].step is None
        column = isinstance(node.slice, ast.List) or isinstance(getattr(node.slice, "value", None), str)
        return _order(view, node.value, depth - 1) if whole or column else None
    if isinstance(node, ast.ListComp | ast.GeneratorExp) and len(node.generators) == 1 and not node.generators[0].ifs:
        over = node.generators[0].iter
        return _order(view, over, depth - 1) or _listed(view, over)
    if isinstance(node, ast.BinOp):
        found_both = [_order(view, side, depth - 1) for side in (node.left, node.right)]
        known = [f for f in found_both if f is not None]
        return known[0] if len(known) == 1 else None
    if isinstance(node, ast.Call):
        return _of_call(view, node, depth)
    return None


def _of_call(view: View, node: ast.Call, depth: int) -> Order | None:
    name, own = last_name(node.func), node.func.value if isinstance(node.func, ast.Attribute) else None
    given = view.results(node)
    if given:
        return _order(given[0][0], given[0][1], depth - 1) if len(given) == 1 else None
    module = own is not None and last_name(own) in _MODULES
    inner = node.args[0] if node.args else None
    if name == "unique" and (module or own is not None):
        of = inner if module else own
        if of is None or any(k.arg and k.arg.startswith("return") for k in node.keywords):
            return None
        numpy = module and last_name(own) in ("np", "numpy") if own is not None else False
        return Order("sorted" if numpy else "appear", _key(of)) if _key(of) else None
    if name in ("keys", "values", "items") and own is not None and not node.args:
        return _listed(view, own)
    if name == "drop_duplicates" and isinstance(inner, ast.Constant):
        return Order("appear", str(inner.value))
    if name == "fromkeys" and inner is not None:
        return Order("appear", _key(inner)) if _key(inner) else None
    if (
        name in ("list", "sorted", "tuple")
        and isinstance(inner, ast.Call)
        and last_name(inner.func) == "set"
        and inner.args
    ):
        key = _key(inner.args[0])
        return Order("sorted" if name == "sorted" else "hash", key) if key else None
    if name == "sorted" and inner is not None and not node.keywords:
        found = _order(view, inner, depth - 1) or _listed(view, inner)
        return Order("sorted", found.key) if found is not None else None
    grouped = _grouped(node)
    if grouped is not None:
        return grouped
    if name == "predict" and inner is not None:
        return _order(view, inner, depth - 1)
    if name in _KEEPS:
        of = own if own is not None and not module else inner
        return _order(view, of, depth - 1) if of is not None and (name != "list" or len(node.args) == 1) else None
    if name in ("stack", "array", "asarray") and isinstance(inner, ast.ListComp):
        return _order(view, inner, depth - 1)
    if name in ("stack", "column_stack") and isinstance(inner, ast.List | ast.Tuple):
        orders = [o for o in (_order(view, e, depth - 1) for e in inner.elts) if o is not None]
        return orders[0] if orders and all(o == orders[0] for o in orders) else None
    return None


def _grouped(node: ast.AST) -> Order | None:
    """`table.groupby(key)` and one number of each group."""
    here, reduced = node, False
    while isinstance(here, ast.Call | ast.Attribute | ast.Subscript):
        if isinstance(here, ast.Call) and last_name(here.func) == "groupby":
            unsorted = any(k.arg == "sort" and getattr(k.value, "value", True) is False for k in here.keywords)
            key = here.args[0] if here.args else None
            text = _key(key) if isinstance(key, ast.Name) else getattr(key, "value", None)
            if not isinstance(text, str) or not text:
                return None
            return Order("appear" if unsorted else "sorted", text) if reduced or here is node else None
        if isinstance(here, ast.Call) and last_name(here.func) in (
            "transform",
            "rolling",
            "shift",
            "cumsum",
            "head",
            "sort_values",
            "reindex",
            "merge",
            "cumcount",
            "rank",
            "loc",
        ):
            return None
        reduced = reduced or isinstance(here, ast.Call)
        here = here.func if isinstance(here, ast.Call) else here.value
    return None


def _key(node: ast.expr) -> str:
    """What the values are of: a column, an attribute or a name."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    if isinstance(node, ast.Call):
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        return _key(own) if own is not None and last_name(node.func) in ("to_numpy", "tolist", "astype") else ""
    if isinstance(node, ast.Attribute):
        return _key(node.value) if node.attr == "values" else node.attr
    return node.id if isinstance(node, ast.Name) else ""


def in_order(view: View, key: str) -> bool:
    """Whether something is sorted by the key, so that its values appear in order."""
    for call in view.calls("sort_values", "sort", "sort_index", "sorted", "repeat", "arange", "date_range"):
        text = ast.unparse(view.statement(call) or call)
        if last_name(call.func) == "sort_values" and (repr(key) in text):
            return True
        if last_name(call.func) in ("repeat", "arange", "date_range") and _makes(view, call, key):
            return True
    return False


def _makes(view: View, call: ast.Call, key: str) -> bool:
    """Whether the key is made in blocks, or as numbers that rise, and not mixed."""
    statement = view.statement(call)
    text = ast.unparse(statement) if statement is not None else ""
    mixed = any(word in text for word in ("permutation", "shuffle", "choice", "sample"))
    targets = [last_name(t) for t in getattr(statement, "targets", [])]
    constant = repr(key) in text
    literal = any(isinstance(n, ast.List | ast.Call) and last_name(getattr(n, "func", n)) == "list" for n in walk(call))
    return not mixed and not literal and (key in targets or constant)


def _alike(view: View, one: ast.expr, other: ast.expr) -> bool:
    return ast.unparse(one) == ast.unparse(other)
