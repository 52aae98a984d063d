"""Whole batches of a generator, for a loop that trains nothing: the rows after them reach no result."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.loops import TRAINS, loop_over, takes_rows
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, within_body

_KEEPS = frozenset({"append", "extend", "concatenate", "update", "update_state", "write"})
_DEPTH = 3


def faults(view: View) -> Iterator[Slip]:
    """`for i in range(len(rows) // size): yield rows[...]`, where something is left over."""
    for function in (n for n in walk(view.tree) if isinstance(n, FUNCTIONS)):
        yield from _unfilled(view, function)
        loops = [n for n in within_body(function) if isinstance(n, ast.For)]
        yields = [n for n in within_body(function) if isinstance(n, ast.Yield | ast.YieldFrom)]
        for loop in loops:
            inside = {id(n) for n in walk(loop)}
            counts = _counts(view, loop.iter)
            if counts is None or not yields or any(id(y) not in inside for y in yields) or not takes_rows(loop):
                continue
            rows, size = counts
            if rows % size and _only_read(view, function.name):
                done = rows // size * size
                yield Slip(
                    "batches-left-out",
                    loop.lineno,
                    f"`{ast.unparse(loop.iter)[:60]}` leaves out {rows - done} of {rows} rows",
                    f"{rows} rows in whole batches of {size} are {done}. The loop that uses them trains nothing, and "
                    f"what it makes has nothing of the last {rows - done} rows.",
                )


def _unfilled(view: View, function: ast.AST) -> Iterator[Slip]:
    """An array of all rows that a loop over whole batches fills, and that is returned as it is then."""
    nodes = list(walk(function))
    for loop in (n for n in within_body(function) if isinstance(n, ast.For)):
        inside = {id(n) for n in walk(loop)}
        stored = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)]
        arrays = {n.value.id for n in stored if id(n) in inside and isinstance(n.value, ast.Name)}
        counts = _counts(view, loop.iter) if arrays else None
        if counts is None or not counts[0] % counts[1]:
            continue
        rows, size = counts
        for name in sorted(arrays):
            made = _returned_array(nodes, name, inside)
            if made is None or _rows_of(view, made) != rows:
                continue
            done = rows // size * size
            yield Slip(
                "never-written",
                loop.lineno,
                f"`{ast.unparse(loop.iter)[:60]}` leaves the last {rows - done} of {rows} rows of `{name}`",
                f"{rows} rows in whole batches of {size} are {done}. `{name}` is returned with {rows} rows, and in the "
                f"last {rows - done} there is what `{last_name(made.func)}` made, and no result.",
            )


def _returned_array(nodes: list[ast.AST], name: str, inside: set[int]) -> ast.Call | None:
    """The call that makes an array of one value which the function returns whole; what is cut, or filled elsewhere than
    within the loop, is known to be unfinished.
    """
    made = [n.value for n in nodes if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == name]
    other = any(isinstance(n, ast.Subscript) and last_name(n.value) == name and id(n) not in inside for n in nodes)
    whole = any(isinstance(n, ast.Return) and n.value is not None and ast.unparse(n.value) == name for n in nodes)
    call = made[0] if len(made) == 1 and whole and not other else None
    return call if isinstance(call, ast.Call) and last_name(call.func) in _BLANK else None


_BLANK = frozenset({"zeros", "empty", "full", "ones"})


def _rows_of(view: View, call: ast.Call) -> int | None:
    """How many rows an array is made with."""
    first = call.args[0] if call.args else None
    if isinstance(first, ast.Tuple | ast.List):
        first = first.elts[0] if first.elts else None
    return view.number(first) if first is not None else None


def _counts(view: View, over: ast.expr) -> tuple[int, int] | None:
    """(rows, size) of `range(rows // size)` and of `range(0, rows - size + 1, size)`."""
    if not (isinstance(over, ast.Call) and last_name(over.func) in ("range", "trange")):
        return None
    if len(over.args) == 3:
        return _before_last(view, over)
    if len(over.args) != 1:
        return None
    ends: list[ast.expr] = [over.args[0]]
    if isinstance(ends[0], ast.Name):
        ends = [m.value for m in view.back.values(view.file, ends[0])]
    end = ends[0] if len(ends) == 1 else None
    if not (isinstance(end, ast.BinOp) and isinstance(end.op, ast.FloorDiv)) or isinstance(end.left, ast.BinOp):
        return None
    return _sizes(view, end.left, end.right)


def _before_last(view: View, over: ast.Call) -> tuple[int, int] | None:
    """(rows, size) of `range(0, rows - size + 1, size)`, and of the same without the 1."""
    end, size = over.args[1:]
    if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Add) and ast.unparse(end.right) == "1":
        end = end.left
    less = isinstance(end, ast.BinOp) and isinstance(end.op, ast.Sub) and ast.unparse(end.right) == ast.unparse(size)
    return _sizes(view, end.left, size) if less and isinstance(end, ast.BinOp) else None


def _sizes(view: View, left: ast.expr, right: ast.expr) -> tuple[int, int] | None:
    rows, size = view.number(left), view.number(right)
    return (rows, size) if rows and size and rows > size > 1 else None


def _only_read(view: View, name: str) -> bool:
    """Whether each use of a generator is a loop that keeps results and trains nothing."""
    views = view.every()
    uses = [
        (v, n) for v in views for n in walk(v.tree) if isinstance(n, ast.Name | ast.Attribute) and last_name(n) == name
    ]
    loops = [loop_over(n, v.above) for v, n in uses]
    return bool(loops) and all(loop is not None and _keeps(loop) and not _trains(view, loop, _DEPTH) for loop in loops)


def _keeps(loop: ast.AST) -> bool:
    """Whether something is added up or kept."""
    return isinstance(loop, ast.ListComp) or any(
        isinstance(n, ast.AugAssign) or (isinstance(n, ast.Call) and last_name(n.func) in _KEEPS) for n in walk(loop)
    )


def _trains(view: View, node: ast.AST, depth: int) -> bool:
    for name in {last_name(n.func) for n in nodes_of(node, ast.Call)} - {""}:
        if name in TRAINS or "train" in name.lower():
            return True
        if depth and any(_trains(view, f, depth - 1) for _, f in view.back.functions.get(name, ())):
            return True
    return False
