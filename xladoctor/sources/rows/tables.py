"""Tables of pandas: their rows, in the order in which they are. As arrays they are paired by place."""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.names import last_name
from xladoctor.sources.rows.meetings import match, meet
from xladoctor.sources.rows.values import Array, Items, Named, Names, RowSet, Table, may_be_one, same

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

_READS = frozenset({"read_csv", "read_excel", "read_feather", "read_json", "read_parquet", "read_table"})
_KEEPS = frozenset(
    {"assign", "astype", "clip", "copy", "drop", "fillna", "ffill", "bfill", "infer_objects", "insert", "replace",
     "rename", "reset_index", "round", "set_index", "add_prefix", "add_suffix", "interpolate", "get", "filter"}
)  # fmt: skip
"""What leaves the rows of a table as they are; of a `drop` only where it names columns."""
_SOME = frozenset({"dropna", "drop_duplicates", "head", "nlargest", "nsmallest", "query", "tail", "truncate"})
_ORDERS = frozenset({"sample", "sort_index", "sort_values"})
_OF_COLUMN = frozenset(
    {"abs", "apply", "cumsum", "isin", "isna", "map", "notna", "rank", "shift", "diff", "where", "mask"}
)
_ARRAYS = frozenset({"to_numpy", "tolist", "to_list", "values"})


@dataclass(frozen=True)
class Result:
    """What a call of pandas gave, which may be unknown."""

    value: Any


def called(reader: Reader, node: ast.Call, names: Names, held: Any, given: list[Any], named: Names) -> Result | None:
    """What a call gives, if it is of a table or makes one; None for any other."""
    name = last_name(node.func)
    if isinstance(held, Table):
        return Result(method(reader, held, node, names, named))
    if isinstance(held, Array) and held.labelled:
        column = column_method(reader, held, node, named)
        return Result(column) if column is not None else None
    if name in _READS:
        return Result(Table(RowSet()))
    return Result(table_of(reader, given, node)) if name == "DataFrame" else None


def table_of(reader: Reader, given: list[Any], node: ast.Call) -> Table | None:
    """A new table of a dict of columns, or of an array."""
    first = given[0] if given else None
    if isinstance(first, Table):
        return first
    if isinstance(first, Named) and not first.kind:
        return _of_columns(reader, {k: v for k, v in first.values.items() if isinstance(v, Array)}, node)
    if isinstance(first, Array):
        return Table(first.rows or RowSet(), first.count)
    return None


def _of_columns(reader: Reader, columns: dict[str, Array], node: ast.AST) -> Table | None:
    known = [a for a in columns.values() if a.rows is not None and a.statistic is None]
    if not known:
        return Table(RowSet(), None, columns) if columns else None
    table = Table(known[0].rows, known[0].count, columns)
    for other in known[1:]:
        _join(reader, table, other, node)
    return table


def _join(reader: Reader, table: Table, column: Array, node: ast.AST) -> None:
    """A column that is put beside others by place."""
    whole = table.array()
    if column.labelled or whole.rows is None or column.rows is None or not may_be_one(whole, column):
        return
    meet(reader, whole, column, node)
    if not same(whole.rows, column.rows):
        mine, theirs = whole.rows.root(), column.rows.root()
        if theirs.source is None:
            theirs.join(mine)
        elif mine.source is None:
            mine.join(theirs)


def with_column(reader: Reader, table: Table, name: Any, value: Any, node: ast.AST) -> Table:
    """`table[name] = value`."""
    if isinstance(value, Array) and isinstance(name, str):
        _join(reader, table, value, node)
        return replace(table, columns={**table.columns, name: replace(value, rows=table.rows)})
    return table


def part(reader: Reader, table: Table, node: ast.Subscript, names: Names) -> Any:
    """`table["a"]`, `table[["a", "b"]]`, `table[mask]`, and the same of `loc`."""
    first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    located = isinstance(node.value, ast.Attribute) and node.value.attr in ("loc", "iloc")
    at = reader.value(first, names)
    if isinstance(first, ast.Slice):
        if first.lower is first.upper is first.step is None:
            return _columns(table, node.slice) if located else table
        rows = reader.slice_of(table.array(), first)
        return replace(table, rows=rows, count=None)
    if isinstance(at, str) and not located:
        return _column(table, at)
    if isinstance(at, Items) and not located:
        return table
    if isinstance(at, Array):
        if at.of is not None:
            match(reader, replace(table.array(), name=ast.unparse(node.value)[:60]), at, node)
            labels = located and isinstance(node.value, ast.Attribute) and node.value.attr == "loc"
            if labels and not table.counted and _is_chosen(table.rows) and same(at.of, table.rows):
                given = at.name or ast.unparse(first)[:40]
                reader.fault("positions-as-labels", node, (given, ast.unparse(node.value)[:60]))
        if at.picks is not None and not at.picks.text:
            at.picks.text = ast.unparse(first)[:60]
        rows = at.picks if at.of is None or at.picks is not None else None
        return replace(table, rows=rows, count=None, counted=False) if rows is not None else None
    return None


def _is_chosen(rows: RowSet | None) -> bool:
    """Whether rows were chosen from others by a mask or by positions, or put into another order."""
    return rows is not None and rows.source is not None and rows.cut is None


def _columns(table: Table, where: ast.expr) -> Any:
    second = where.elts[1] if isinstance(where, ast.Tuple) and len(where.elts) > 1 else None
    if isinstance(second, ast.Constant):
        return _column(table, str(second.value))
    return table


def _column(table: Table, name: str) -> Array:
    known = table.columns.get(name)
    plain = Array(table.rows, (table.count,), labelled=True)
    return plain if known is None else replace(known, rows=table.rows, shape=(table.count,), labelled=True)


def attribute(table: Table, name: str) -> Any:
    """`table.values`, `table.shape`, `table.column`; `loc` and `iloc` are the table, whose subscript asks for them."""
    if name in ("loc", "iloc"):
        return table
    if name == "values":
        return table.array()
    if name == "shape":
        return Items([table.count, None])
    return _column(table, name) if name in table.columns else None


def method(reader: Reader, table: Table, node: ast.Call, names: Names, named: Names) -> Any:
    """What a method of a table gives."""
    name = last_name(node.func)
    found = _method(reader, table, name, node, named)
    own = node.func.value if isinstance(node.func, ast.Attribute) else None
    if named.get("inplace") is True:
        if isinstance(own, ast.Name):
            names[own.id] = found
        return None
    if name == "insert" and isinstance(own, ast.Name) and len(node.args) > 2:
        key, value = (reader.value(a, names) for a in node.args[1:3])
        names[own.id] = with_column(reader, table, key, value, node)
        return None
    return found


def _method(reader: Reader, table: Table, name: str, node: ast.Call, named: Names) -> Any:
    if name in _ARRAYS:
        return table.array()
    rows = moved(reader, table.rows, name, node, named)
    if rows is not None:
        anew = named.get("ignore_index") is True
        return replace(table, rows=rows, count=table.count if rows.order else None, counted=anew)
    if name == "drop" and not ("columns" in named or named.get("axis") in (1, "columns")):
        return None
    if name in ("reset_index", "set_index"):
        return replace(table, counted=True)
    if name in _KEEPS:
        return table
    return None


def moved(reader: Reader, rows: RowSet | None, name: str, node: ast.Call, named: Names) -> RowSet | None:
    """The rows after a method that puts them into another order, or leaves some out; None for any other."""
    if rows is None or name not in _SOME | _ORDERS:
        return None
    given = [ast.unparse(a) for a in (*node.args, *(k.value for k in node.keywords))]
    text = f"{name}({', '.join(given)})"[:60]
    whole = name == "sample" and (named.get("frac") == 1 or named.get("frac") == 1.0)
    order = name in ("sort_values", "sort_index") or whole
    of = rows
    while name == "sort_values" and of.source is not None and of.text.partition("(")[0] in _ORDERS:
        of = of.source
    new = name == "sample" and "random_state" not in named
    key = (id(of.root()), text, id(node) if new else 0)
    if key not in reader.orders:
        reader.orders[key] = RowSet(text, of if order else rows, order)
        reader.lines.setdefault(id(reader.orders[key]), (reader.file, node.lineno))
    return reader.orders[key]


def column_method(reader: Reader, column: Array, node: ast.Call, named: Names) -> Any:
    """What a method of a column gives; None where it is one that arrays have, too."""
    name = last_name(node.func)
    if name in _ARRAYS:
        return replace(column, labelled=False)
    rows = moved(reader, column.rows, name, node, named)
    if rows is not None:
        return column.as_new(rows=rows, shape=(column.count if rows.order else None,))
    if name in _KEEPS | _OF_COLUMN:
        made = column.as_new()
        return replace(made, picks=RowSet(source=made.rows)) if name in ("isin", "isna", "notna") else made
    return None


def as_arrays(values: list[Any]) -> list[Any]:
    """Tables among them as arrays."""
    return [v.array() if isinstance(v, Table) else v for v in values]
