"""Expressions: names, numbers, subscripts, operators; calls are in `calls`."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xladoctor.sources.arithmetic import reckoned
from xladoctor.sources.names import last_name
from xladoctor.sources.rows import calls, tables
from xladoctor.sources.rows.checks import generated
from xladoctor.sources.rows.grids import all_pairs
from xladoctor.sources.rows.making import mgrid
from xladoctor.sources.rows.meetings import elementwise, indexed
from xladoctor.sources.rows.types import result, wraps
from xladoctor.sources.rows.values import Array, Call, Items, Named, Names, RowSet, Shape, Step, Table, arrays, chunk_of

if TYPE_CHECKING:
    from xladoctor.sources.rows.read import Reader

_NUMBERS = (int, float)


def value(reader: Reader, node: ast.expr, names: Names) -> Any:
    """What an expression gives."""
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id, reader.names.get(node.id))
    if isinstance(node, ast.Attribute):
        return _attribute(reader, node, names)
    if isinstance(node, ast.Subscript):
        return _subscript(reader, node, names)
    if isinstance(node, ast.BinOp):
        return _operation(reader, node, names)
    if isinstance(node, ast.UnaryOp):
        inner = reader.value(node.operand, names)
        if isinstance(inner, _NUMBERS) and isinstance(node.op, ast.USub):
            return -inner
        return inner.as_new() if isinstance(inner, Array) else None
    if isinstance(node, ast.Compare):
        return _compared(reader, node, names)
    if isinstance(node, ast.Tuple | ast.List):
        return Items([reader.value(e, names) for e in node.elts])
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return _comprehension(reader, node, names)
    if isinstance(node, ast.Call):
        return calls.called(reader, node, names)
    if isinstance(node, ast.BoolOp):
        return _either(reader, node, names)
    if isinstance(node, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
        return Named({k: reader.value(v, names) for k, v in zip(keys, node.values, strict=True) if isinstance(k, str)})
    if isinstance(node, ast.Yield):
        reader.yielded(reader.value(node.value, names))
        return None
    if isinstance(node, ast.IfExp):
        ways = [reader.value(node.body, names), reader.value(node.orelse, names)]
        return ways[0] if ways[0] is ways[1] else None
    return None


def _either(reader: Reader, node: ast.BoolOp, names: Names) -> Any:
    """`given or default`: a rate of 0.0, or False, that was given is replaced, too."""
    values = [reader.value(v, names) for v in node.values]
    first, last = values[0], values[-1]
    if isinstance(node.op, ast.And) or first is None or isinstance(first, Array | Call | Step):
        return None
    off = first is False or (isinstance(first, float) and first == 0.0)
    other = isinstance(last, int | float) and bool(last) and isinstance(last, bool) == isinstance(first, bool)
    if off and other and len(values) == 2 and not isinstance(node.values[0], ast.Constant):
        reader.fault("zero-replaced", node, (ast.unparse(node.values[0])[:60], str(first), str(last)))
    return first if first and not isinstance(first, Items | Named) else last if off or first == 0 else None


def _attribute(reader: Reader, node: ast.Attribute, names: Names) -> Any:
    held = reader.value(node.value, names)
    if isinstance(held, Named):
        made = held.methods.get(node.attr) if held.kind == "object" else None
        if made is not None and any(last_name(d) in ("property", "cached_property") for d in made.decorator_list):
            return reader.call(made, [held], {}, names)
        return held.values.get(node.attr)
    if isinstance(held, Table):
        return tables.attribute(held, node.attr)
    if isinstance(held, Items) and node.attr in ("values", "indices") and len(held.values) == 2:
        return held.values[node.attr == "indices"]  # of `top_k`
    if isinstance(held, Array):
        if node.attr == "shape" and held.shape is not None:
            return Items(list(held.shape))
        if node.attr == "size" and held.shape and len(held.shape) == 1:
            return held.count
        if node.attr == "T":
            return Array(shape=held.shape[::-1] if held.shape else None, across=held.rows)
        if node.attr in ("indices", "values"):
            return replace(held, labelled=False)
    return None


def _subscript(reader: Reader, node: ast.Subscript, names: Names) -> Any:
    if isinstance(node.value, ast.Attribute) and node.value.attr == "mgrid":
        return mgrid(reader, node.slice, names)
    held = reader.value(node.value, names)
    if isinstance(held, Table):
        return tables.part(reader, held, node, names)
    if isinstance(held, Items):
        at = reader.value(node.slice, names)
        inside = isinstance(at, int) and held.block is None and -len(held.values) <= at < len(held.values)
        return held.values[at] if inside else None
    if isinstance(held, Named):
        key = reader.value(node.slice, names)
        return held.values.get(key) if isinstance(key, str) else None
    if not isinstance(held, Array):
        return None
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    first, rest = parts[0], parts[1:]
    if isinstance(first, ast.Constant) and first.value is Ellipsis:
        return _columns(held, parts) if parts[1:] else held
    if isinstance(first, ast.Slice):
        return _columns(_sliced(reader, held, first, names), parts)
    at = reader.value(first, names)
    if isinstance(at, Array):
        picked = indexed(reader, held, at, node)
        if at.picks is not None and not at.picks.text:
            at.picks.text = ast.unparse(first)[:60]
        return _columns(picked, parts) if rest and picked is not None else picked
    return None


def _columns(array: Array, parts: list[ast.expr]) -> Array:
    """`x[rows, ...]`: the other axes; rows stay what they are."""
    if len(parts) == 1:
        return array
    if all(isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None for p in parts[1:]):
        return array
    shape = _sizes_after(array.shape, parts[1:]) if array.shape else None
    return replace(array, shape=shape) if array.of is not None and not array.order else array.as_new(shape=shape)


def _sizes_after(shape: Shape, parts: list[ast.expr]) -> Shape | None:
    """The sizes after subscripts of the axes behind the rows."""
    sizes, rest = [shape[0]], list(shape[1:])
    for part in parts:
        if last_name(part) == "newaxis" or (isinstance(part, ast.Constant) and part.value is None):
            sizes.append(1)
            continue
        if not rest:
            return None
        size = rest.pop(0)
        if isinstance(part, ast.Slice):
            sizes.append(_cut(size, part))
        elif isinstance(part, ast.List):
            sizes.append(len(part.elts))
        elif not (isinstance(part, ast.Name | ast.UnaryOp) or isinstance(getattr(part, "value", None), int)):
            return None
    return (*sizes, *rest)


def _cut(size: int | None, part: ast.Slice) -> int | None:
    """The size of a slice by numbers that are written out."""
    try:
        ends = [None if e is None else ast.literal_eval(e) for e in (part.lower, part.upper, part.step)]
        return None if size is None else len(range(size)[slice(*ends)])
    except (ValueError, TypeError):
        return None


def _sliced(reader: Reader, array: Array, part: ast.Slice, names: Names) -> Array:
    """Some of the rows of an array."""
    if part.lower is part.upper is None and part.step is None:
        return array
    lower, upper = reader.value(part.lower, names), reader.value(part.upper, names)
    rest = array.shape[1:] if array.shape else None
    if isinstance(lower, Step) or isinstance(upper, Step):
        return chunk_of(replace(array, grid=None))
    if part.step is not None and array.of is not None and part.lower is part.upper is None:
        picks = RowSet(source=array.of, order=array.order)
        return replace(array, rows=picks, picks=picks, name="")
    if part.step is not None:
        return Array(RowSet(), None if rest is None else (None, *rest), predicted=array.predicted, scaled=array.scaled)
    count = array.count
    ends = [lower if part.lower is not None else 0, upper if part.upper is not None else count]
    known = count is not None and all(isinstance(e, int) for e in ends)
    rows = len(range(count)[ends[0] : ends[1]]) if known and count is not None else None
    shape = None if rest is None else (rows, *rest)
    cut = replace(array, rows=reader.slice_of(array, part), shape=shape, grid=None, name="")
    if cut.of is not None:
        some = RowSet(source=cut.of)
        return replace(cut, rows=some, picks=some, order=False)
    return replace(cut, padded=None if part.upper is not None else cut.padded, picks=None, series=None)


def _operation(reader: Reader, node: ast.BinOp, names: Names) -> Any:
    left, right = reader.value(node.left, names), reader.value(node.right, names)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Step):
            return elementwise(reader, [other], node) if isinstance(other, Array) and other.of is None else Step()
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        return reckoned(left, node.op, right)
    if isinstance(node.op, ast.Add) and isinstance(left, Items) and isinstance(right, Items):
        return Items(left.values + right.values) if left.block is right.block is None else None
    if isinstance(node.op, ast.Mult) and isinstance(left, Items) and isinstance(right, int) and right < 100:
        return Items(left.values * right)
    found = list(arrays((left, right)))
    if not found:
        return None
    if isinstance(node.op, ast.MatMult):
        first = left if isinstance(left, Array) else None
        sizes = [a.shape for a in found]
        shape = (sizes[0][0], *(sizes[1][1:])) if len(sizes) == 2 and sizes[0] and sizes[1] else None
        across = right.across if isinstance(right, Array) else None
        if first is None and across is not None:
            return Array(RowSet(), across=across)
        return first.as_new(shape=shape, across=across, integral=False) if first is not None else None
    wraps(reader, node, left, right)
    return result(node, left, right, elementwise(reader, found, node))


def _compared(reader: Reader, node: ast.Compare, names: Names) -> Any:
    values = [reader.value(e, names) for e in (node.left, *node.comparators)]
    found = list(arrays(values))
    if not found or isinstance(node.ops[0], ast.Is | ast.IsNot | ast.In | ast.NotIn):
        return None
    made = elementwise(reader, found, node)
    return replace(made, picks=RowSet(source=made.rows) if made.rows is not None else None)


def _is_pair(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """Whether each element is the pair of what both loops are at, in their order or the other."""
    targets = {last_name(g.target) for g in node.generators}
    items = node.elt.elts if isinstance(node.elt, ast.Tuple | ast.List) else []
    return len(items) == 2 and {last_name(i) for i in items} == targets and "" not in targets


def _comprehension(reader: Reader, node: ast.ListComp | ast.GeneratorExp, names: Names) -> Any:
    inner = dict(names)
    if len(node.generators) == 2 and not any(g.ifs for g in node.generators):
        outer = reader.value(node.generators[0].iter, inner)
        return all_pairs([outer, reader.value(node.generators[1].iter, inner)]) if _is_pair(node) else None
    if len(node.generators) != 1:
        return None
    over = node.generators[0]
    held = reader.value(over.iter, inner)
    if isinstance(held, Items) and held.block is None and len(held.values) <= 40 and not over.ifs:
        made = []
        for item in held.values:
            reader.assign(over.target, item, inner, node)
            made.append(reader.value(node.elt, inner))
        return Items(made)
    if isinstance(held, Array) and held.of is not None and isinstance(node.elt, ast.Subscript):
        whole = reader.value(node.elt.value, inner)
        by_it = isinstance(over.target, ast.Name) and ast.unparse(node.elt.slice) == over.target.id
        if by_it and isinstance(whole, Array) and not over.ifs:
            return indexed(reader, whole, held, node.elt)
    generated(reader, held, [ast.Expr(ast.List([node.elt]))])
    reader.assign(over.target, reader.item(held, over.iter), inner, node)
    element = reader.value(node.elt, inner)
    if not isinstance(element, Array) or over.ifs:
        return None
    looped = held.count if isinstance(held, Array | Items) else None
    rows = held.rows if isinstance(held, Array) and held.of is None else getattr(held, "over", None)
    return Items(block=element, count=looped, over=rows)
