"""Steps of a prediction that are not those of its rows: the last batch filled with first rows again, or left out.

`x.repeat().batch(n)` has full batches without end, so `steps=ceil(rows / n)` gives more results than there are rows.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from xladoctor.sources.held import View
from xladoctor.sources.loops import loop_over, trains
from xladoctor.sources.names import around, keyword, last_name, names_in, nodes_of, walk
from xladoctor.sources.slips.slip import Slip

_DEPTH = 6
_OF_DATASETS = frozenset(
    {
        "apply", "batch", "cache", "map", "prefetch", "repeat", "shard", "shuffle", "skip", "take", "unbatch",
        "with_options", "enumerate", "filter", "interleave",
    }
)  # fmt: skip
_SAME_ROWS = frozenset({"batch", "cache", "map", "prefetch", "repeat", "shuffle", "with_options"})
"""What gives as many rows as it gets, but for the repeats."""
_ANY = frozenset({"cache", "map", "prefetch", "shuffle"})
"""What may be done or not, and leaves the number of the rows and batches as it is."""
_ROUNDED = frozenset({"ceil", "int"})


@dataclass(frozen=True)
class _Pipeline:
    """The methods that a dataset was made by, the last one first, and the array whose rows it has."""

    methods: tuple[ast.Call, ...]
    source: ast.Call | None
    view: View


def faults(view: View) -> Iterator[Slip]:
    """`model.predict(x.repeat().batch(n), steps=ceil(rows / n))`, and `steps=rows // n`, where something is left."""
    for call in view.calls("predict", "evaluate"):
        steps, data = keyword(call, "steps"), keyword(call, "x") or (call.args[0] if call.args else None)
        if steps is None or data is None or not isinstance(call.func, ast.Attribute):
            continue
        pipelines = list(_pipelines(view, data, _DEPTH))
        if len(pipelines) == 1:
            found = _counts(view, steps, pipelines[0])
            if found is not None:
                yield from _slips(view, call, pipelines[0], *found)
    yield from _of_loops(view)


def _of_loops(view: View) -> Iterator[Slip]:
    """`for x in rows.repeat().batch(n).take(steps)`, and `islice` of it, where results are kept and nothing learns."""
    for call in view.calls("take", "islice"):
        method = isinstance(call.func, ast.Attribute) and call.func.attr == "take"
        parts = [call.func.value, *call.args] if method and isinstance(call.func, ast.Attribute) else call.args
        loop = loop_over(call, view.above)
        if len(parts) != 2 or loop is None or trains(view.tree, call.lineno) or not _keeps(loop):
            continue
        pipelines = list(_pipelines(view, parts[0], _DEPTH))
        found = _counts(view, parts[1], pipelines[0]) if len(pipelines) == 1 else None
        if found is None or not _repeats_first(pipelines[0]) or _cuts_any(view, call):
            continue
        rows, size, steps = found
        if rows < steps * size < rows + size:
            yield _again("this loop", call.lineno, rows, size, steps)


def _keeps(loop: ast.AST) -> bool:
    kept = [c for c in nodes_of(loop, ast.Call) if last_name(c.func) in ("append", "extend")]
    return isinstance(loop, ast.ListComp) or bool(kept)


def _cuts_any(view: View, call: ast.Call) -> bool:
    """Whether anything is cut at an end in the function of a loop, or where it is called."""
    scope = view.scope(call)
    callers = [(v, c) for v in view.every() for c in v.calls(getattr(scope, "name", ""))]
    places = [scope, *(v.scope(c) for v, c in callers if v.scope(c) is not v.tree)]
    places += [s for v, c in callers if (s := v.statement(c)) is not None]
    slices = [n.slice for place in places for n in nodes_of(place, ast.Subscript)]
    return any(isinstance(s, ast.Slice) and s.upper and not s.lower for s in slices)


def _slips(view: View, call: ast.Call, pipeline: _Pipeline, rows: int, size: int, steps: int) -> Iterator[Slip]:
    method, given = last_name(call.func), steps * size
    if rows < given < rows + size and _repeats_first(pipeline) and not _is_cut(view, call):
        yield _again(f"`{method}`", call.lineno, rows, size, steps)
    # A score of most rows may be wanted; a prediction is one of all.
    elif rows - size < given < rows and (method == "predict" or 10 * (rows - given) >= rows):
        yield Slip(
            "batches-left-out",
            call.lineno,
            f"`{method}` takes {given} of {rows} rows: the last batch is left out",
            f"{steps} steps of {size} rows are {given}. The last {rows - given} of {rows} rows reach no result.",
        )


def _again(what: str, at: int, rows: int, size: int, steps: int) -> Slip:
    more = steps * size - rows
    does = "counts them twice" if "evaluate" in what else f"gives {steps * size} results, {more} of them twice"
    return Slip(
        "rows-again",
        at,
        f"{what[:1].upper()}{what[1:]} takes {steps * size} rows of {rows}: the first {more} come again at the end",
        f"The dataset is repeated before it is batched, so each of the {steps} batches has {size} rows. There are "
        f"{rows} rows: after the last one the first {more} come once more, and {what} {does}.",
    )


def _pipelines(view: View, data: ast.expr, depth: int) -> Iterator[_Pipeline]:
    """How a dataset was made, one for each way."""
    if not depth:
        return
    if isinstance(data, ast.Name):
        for made in view.back.values(view.file, data):
            other, value = view.of(made), made.value
            asked = any(isinstance(n, ast.If) for n in around(made.statement, other.above))
            if asked and isinstance(value, ast.Call) and last_name(value.func) in _ANY and made.value is not data:
                value = value.func.value if isinstance(value.func, ast.Attribute) else value
            elif asked:
                return
            yield from _pipelines(other, value, depth - 1)
    elif isinstance(data, ast.Call) and last_name(data.func) in ("from_tensor_slices", "from_tensors"):
        yield _Pipeline((), data, view)
    elif isinstance(data, ast.Call) and isinstance(data.func, ast.Attribute) and data.func.attr in _OF_DATASETS:
        for inner in _pipelines(view, data.func.value, depth):
            yield _Pipeline((data, *inner.methods), inner.source, inner.view)
    elif isinstance(data, ast.Call):
        for other, value in view.results(data):
            yield from _pipelines(other, value, depth - 1)


def _counts(view: View, steps: ast.expr, pipeline: _Pipeline) -> tuple[int, int, int] | None:
    """(rows, rows of a batch, steps) of a prediction, where all three are known."""
    batches = [m for m in pipeline.methods if last_name(m.func) == "batch" and m.args]
    if len(batches) != 1 or any(last_name(m.func) not in _SAME_ROWS for m in pipeline.methods):
        return None
    if any(k.arg == "drop_remainder" for k in batches[0].keywords) or len(batches[0].args) > 1:
        return None
    size = _size(view, pipeline, batches[0].args[0])
    told = _divided(view, steps)
    if told is None:
        rows, many = _rows(pipeline), view.number(steps)
    else:
        rows, many = told[0], told[2]
        size = size or told[1]
        if told[1] != size:
            return None
    return (rows, size, many) if rows and size and many and rows % size else None


def _size(view: View, pipeline: _Pipeline, node: ast.expr) -> int | None:
    """How many rows a batch has, by the names of the function that makes it or of the file."""
    return pipeline.view.number(node) or view.number(node)


def _rows(pipeline: _Pipeline) -> int | None:
    """The rows of the array that a dataset was made of, the first of several."""
    first = pipeline.source.args[0] if pipeline.source is not None and pipeline.source.args else None
    while isinstance(first, ast.Tuple) and first.elts:
        first = first.elts[0]
    sizes = pipeline.view.shape(first) if first is not None else None
    return sizes[0] if sizes else None


def _divided(view: View, steps: ast.expr) -> tuple[int, int, int] | None:
    """(rows, size, steps) of `math.ceil(rows / size)`, `-(-rows // size)`, `rows // size + 1`, `rows // size`."""
    values = [steps]
    if isinstance(steps, ast.Name):
        values = [m.value for m in view.back.values(view.file, steps)]
    quotient, up = _quotient(values[0]) if len(values) == 1 else (None, False)
    if quotient is None or not (up or isinstance(quotient.op, ast.FloorDiv)):
        return None
    rows, size = view.number(quotient.left), view.number(quotient.right)
    return (rows, size, -(-rows // size) if up else rows // size) if rows and size and rows >= size else None


def _quotient(node: ast.expr) -> tuple[ast.BinOp | None, bool]:
    """(the division of a number of steps, whether it is rounded up)."""
    up = False
    while isinstance(node, ast.Call) and last_name(node.func) in _ROUNDED and len(node.args) == 1:
        up = up or last_name(node.func) == "ceil"
        node = node.args[0]
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.BinOp):
        inner = node.operand
        node = ast.BinOp(inner.left.operand, inner.op, inner.right) if isinstance(inner.left, ast.UnaryOp) else node
        up = True
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and ast.unparse(node.right) == "1":
        up, node = True, node.left
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div | ast.FloorDiv):
        return None, False
    more = node.left.left if isinstance(node.left, ast.BinOp) else None
    if isinstance(more, ast.BinOp) and ast.unparse(node.left) == f"{ast.unparse(more)} - 1":
        same = ast.unparse(more.right) == ast.unparse(node.right)
        return (ast.BinOp(more.left, node.op, node.right), True) if same else (None, False)
    return node, up


def _repeats_first(pipeline: _Pipeline) -> bool:
    """Whether rows are repeated, without end or several times, before they are batched."""
    names = [last_name(m.func) for m in pipeline.methods]
    repeats = [m for m in pipeline.methods[names.index("batch") :] if last_name(m.func) == "repeat"]
    return any(not m.args or ast.unparse(m.args[0]) != "1" for m in repeats)


def _is_cut(view: View, call: ast.Call) -> bool:
    """Whether the results are cut to the number of the rows: at once, or where their name is used."""
    statement, scope = view.statement(call), view.scope(call)
    targets = {n for t in getattr(statement, "targets", ()) for n in names_in(t)}
    for node in walk(scope):
        if isinstance(node, ast.Subscript) and any(isinstance(n, ast.Slice) and n.upper for n in walk(node.slice)):
            inside = any(n is call for n in walk(node.value))
            if inside or names_in(node.value) & targets:
                return True
    returned = statement if isinstance(statement, ast.Return) else None
    if returned is None:
        returned = next((n for n in nodes_of(scope, ast.Return) if n.value and names_in(n.value) & targets), None)
    name = getattr(scope, "name", "") if returned is not None else ""
    return bool(name) and any(_is_cut_where_called(v, c) for v in view.every() for c in v.calls(name))


def _is_cut_where_called(view: View, call: ast.Call) -> bool:
    statement, scope = view.statement(call), view.scope(call)
    targets = {n for t in getattr(statement, "targets", ()) for n in names_in(t)}
    slices = [n for n in nodes_of(scope, ast.Subscript) if isinstance(n.slice, ast.Slice) and n.slice.upper]
    return any(names_in(n.value) & targets or any(c is call for c in walk(n.value)) for n in slices)
