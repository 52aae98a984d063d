"""`a[...]`: items of lists and dicts, slices and indices of arrays, columns of frames."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from xladoctor.blame.makers import of_stored
from xladoctor.blame.setting_files import FileName
from xladoctor.blame.values import (
    Array,
    Class,
    Const,
    Dataset,
    Dim,
    Function,
    Instance,
    Layer,
    Library,
    Map,
    Model,
    Origin,
    Scope,
    Seq,
    Value,
    array,
    dim,
    number,
    unknown,
)

if TYPE_CHECKING:
    from xladoctor.blame.follow import Follower


def subscript(run: Follower, holder: Value, node: ast.expr, scope: Scope) -> Value:
    """One subscript of a value."""
    if is_no_array(holder) and not _has_items(holder, node):
        run.refuse()
    if isinstance(holder, Instance) and isinstance(act := holder.cls.find("__getitem__"), Function):
        key = run.value(node, scope) if not isinstance(node, ast.Slice) else Value()
        return run.enter(Function(act.node, act.scope, holder, act.owner), [key], {})
    if isinstance(holder, Map):
        key = run.value(node, scope)
        return holder.items.get(key.value, Value()) if isinstance(key, Const) else Value()
    if isinstance(holder, Seq):
        return _of_sequence(run, holder, node, scope)
    if isinstance(holder, FileName):
        return holder  # `path.parents[1]`
    if isinstance(holder, Library) and holder.name in _GRIDS:
        return _grid(run, node, scope)
    if isinstance(holder, Library) and holder.bound is not None and holder.name in ("iloc", "loc"):
        holder = holder.bound
    if isinstance(holder, Array):
        if holder.kind == "frame" and not isinstance(node, ast.Slice | ast.Tuple):
            return _of_frame(run, holder, run.value(node, scope))
        return _of_array(run, holder, node, scope)
    if isinstance(holder, Dataset):
        run.refuse()
        return holder.element
    if not isinstance(node, ast.Slice | ast.Tuple):
        key = run.value(node, scope)
        if isinstance(key, Const) and isinstance(key.value, str):
            if holder.origin is not None and (holder.origin.kind, holder.origin.text) == ("read", "load"):
                return of_stored(run, holder, key.value)
            return _of_frame(run, Array(None, holder.origin, "frame"), key)
    if isinstance(node, ast.Tuple) and type(holder) is Value:
        return _of_array(run, Array(None, holder.origin), node, scope)
    return Value(run.origin("slice", "a part", holder))


_GRIDS = frozenset({"numpy.mgrid", "numpy.ogrid"})


def _grid(run: Follower, node: ast.expr, scope: Scope) -> Value:
    """`np.mgrid[:rows, :columns]`: an array for each axis, stacked."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    origin = run.origin("array", "mgrid")
    ends: list[Dim] = []
    for part in parts:
        lower, upper, step = _bounds(run, part, Value(), scope)
        if isinstance(step, Const) or upper is None:
            return Value(origin)
        start, stop = 0 if lower is None else number(lower), number(upper)
        size = stop - start if start is not None and stop is not None else None
        ends.append(dim(upper, origin) if start == 0 else Dim(size, origin))
    return Array([Dim(len(ends), origin), *ends] if isinstance(node, ast.Tuple) else ends, origin)


def is_no_array(value: Value) -> bool:
    """Whether a value is a number, a list, settings or something else without axes."""
    if isinstance(value, Const):
        return value.dim is None
    return isinstance(value, Seq | Map | Instance | Layer | Model | Function | Class)


def _has_items(holder: Value, node: ast.expr) -> bool:
    """Whether what is no array can be subscripted so."""
    if isinstance(holder, Map):
        return not isinstance(node, ast.Slice) and not _is_rest(node)
    if isinstance(holder, Instance):
        return holder.cls.find("__getitem__") is not None or bool(holder.cls.bases)
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    listed = isinstance(holder, Seq) or (isinstance(holder, Const) and isinstance(holder.value, str))
    return listed and len(parts) == 1 and not _is_new(parts[0]) and not _is_rest(parts[0])


def _of_sequence(run: Follower, holder: Seq, node: ast.expr, scope: Scope) -> Value:
    if isinstance(node, ast.Slice):
        bounds = [number(run.value(b, scope)) if b is not None else None for b in (node.lower, node.upper, node.step)]
        return Seq(holder.items[slice(*bounds)], holder.origin)
    at = number(run.value(node, scope))
    if at is not None and -len(holder.items) <= at < len(holder.items):
        return holder.items[at]
    return holder.items[0] if holder.items else unknown(holder)


def _of_frame(run: Follower, holder: Array, key: Value) -> Value:
    rows = holder.dims[0] if holder.dims else Dim(None, holder.origin)
    if isinstance(key, Const):
        return Array((rows,), run.origin("column", f"the column {key.value!r}", holder), "frame")
    if isinstance(key, Seq):
        origin = run.origin("column", f"{len(key.items)} columns", holder)
        return Array((rows, Dim(len(key.items), origin)), origin, "frame")
    return Array(holder.dims, run.origin("slice", "a part", holder), "frame")


def _of_array(run: Follower, holder: Array, node: ast.expr, scope: Scope) -> Value:
    parts = list(node.elts) if isinstance(node, ast.Tuple) else [node]
    only_new = all(_is_new(p) or _is_rest(p) or _is_all(p) for p in parts)
    origin = run.origin(*(("operation", "a new axis") if only_new else ("slice", "a slice")), holder)
    if holder.dims is None:
        bounds = [b for part in parts if isinstance(part, ast.Slice) for b in _bounds(run, part, Value(), scope)]
        origin = run.origin("slice", "a slice", holder, *bounds)
        made = Array(_of_unknown(run, parts, scope), origin, holder.kind)
        made.inputs = (holder,)
        return made
    known = list(holder.dims)
    if (
        len(parts) == 2
        and _is_rest(parts[0])
        and isinstance(parts[1], ast.Constant)
        and known
        and known[-1].size not in (1, None)
    ):
        run.refuse()  # of a last axis that is more than a leftover, one item is taken
    used = sum(1 for p in parts if not _is_new(p) and not _is_rest(p))
    out: list[Dim] = []
    for part in parts:
        if _is_new(part):
            out.append(Dim(1, run.origin("operation", "a new axis")))
        elif _is_rest(part):
            rest = max(len(known) - (used - sum(1 for p in parts[: parts.index(part)] if not _is_new(p))), 0)
            out += known[:rest]
            known = known[rest:]
        elif known:
            out += _of_axis(run, known.pop(0), part, scope)
        else:
            return Array(None, origin, holder.kind)
    made = Array([*out, *known], origin, holder.kind)
    made.integer, made.classes, made.inputs = holder.integer, holder.classes, (holder,)
    return made


def _of_unknown(run: Follower, parts: list[ast.expr], scope: Scope) -> list[Dim] | None:
    """The axes of `x[:, :k]` where nothing is known of x but that it has as many axes."""
    if len(parts) < 2 or not all(isinstance(part, ast.Slice) for part in parts):
        return None
    return [d for part in parts for d in _of_axis(run, Dim(None, None), part, scope)]


def _is_new(part: ast.expr) -> bool:
    is_none = isinstance(part, ast.Constant) and part.value is None
    return is_none or (isinstance(part, ast.Attribute) and part.attr == "newaxis")


def _is_all(part: ast.expr) -> bool:
    return isinstance(part, ast.Slice) and part.lower is part.upper is part.step is None


def _is_rest(part: ast.expr) -> bool:
    return isinstance(part, ast.Constant) and part.value is ...


def _bounds(run: Follower, part: ast.expr, index: Value, scope: Scope) -> list[Value | None]:
    """Lower, upper and step of a slice as it is written, or of `slice(a, b)`."""
    if isinstance(part, ast.Slice):
        return [run.value(b, scope) if b is not None else None for b in (part.lower, part.upper, part.step)]
    settings = index.settings if isinstance(index, Library) else {}
    return [settings.get("lower"), settings.get("upper"), None]


def _length(run: Follower, part: ast.expr, scope: Scope) -> Value | None:
    """Of `start:start + length` the length, wherever it starts; None of any other slice."""
    end = part.upper if isinstance(part, ast.Slice) and part.lower is not None and part.step is None else None
    if not isinstance(part, ast.Slice) or not isinstance(end, ast.BinOp) or not isinstance(end.op, ast.Add):
        return None
    start = ast.dump(part.lower) if part.lower is not None else ""
    more = end.right if ast.dump(end.left) == start else end.left if ast.dump(end.right) == start else None
    return run.value(more, scope) if more is not None else None


OF_FEWER = " are asked of "
"""What is said of a slice that asks for more than there is, and silently gives less."""


def _of_axis(run: Follower, old: Dim, part: ast.expr, scope: Scope) -> list[Dim]:
    """The axes that stay of one."""
    here = run.origin("slice", ast.unparse(part)[:40])
    index = run.value(part, scope) if not isinstance(part, ast.Slice) else Value()
    if isinstance(part, ast.Slice) or (isinstance(index, Library) and index.name == "slice"):
        if isinstance(part, ast.Slice) and part.lower is None and part.upper is None:
            return [old]
        bounds = _bounds(run, part, index, scope)
        numbers = [number(b) for b in bounds]
        if any(b is not None and n is None for b, n in zip(bounds, numbers, strict=True)):
            length = _length(run, part, scope)
            size = number(length)
            sure = size is not None and (old.size is None or 0 <= size <= old.size)
            return [Dim(size if sure else None, run.origin("slice", ast.unparse(part)[:40], length, *bounds))]
        here = run.origin("slice", ast.unparse(part)[:40], *bounds)
        if old.size is None:
            ends = [n for n in numbers[:2] if n is not None]
            sure = numbers[1] is not None and numbers[1] >= 0 and all(n >= 0 for n in ends) and not old.batch
            return [Dim(None if not sure else (numbers[1] or 0) - (numbers[0] or 0), here)]
        if old.size < (numbers[1] or 0) and not numbers[0] and old.origin is not None:
            said = f"{numbers[1]}{OF_FEWER}{old.size}"
            here = Origin("slice", here.file, here.line, said, (old.origin, *here.parents))
        return [Dim(len(range(*slice(*numbers).indices(old.size))) if old.size < 1 << 40 else None, here)]
    found = array(index)
    if isinstance(index, Const) or (found is not None and found.dims == ()):
        return []
    if found is not None and found.dims is not None:
        return list(found.dims) if not isinstance(index, Seq) else [Dim(len(index.items), here)]
    return [] if type(index) is Value else [Dim(None, here)]
