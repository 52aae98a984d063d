"""A count of windows without its last one: `(n - size) // step` is how many steps there are between them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of
from xladoctor.sources.slips.slip import Slip


def faults(view: View) -> Iterator[Slip]:
    """`for i in range((n - size) // step)` that cuts `x[i * step : i * step + size]`."""
    for call in view.calls("range", "arange"):
        found = _counted(view, call)
        loop = _loop(view, call)
        if found is None or not isinstance(loop, ast.For | ast.comprehension) or not isinstance(loop.target, ast.Name):
            continue
        body = loop if isinstance(loop, ast.For) else view.above[loop]
        size, step, line = found
        if _cuts(body, loop.target.id, size, step):
            yield Slip(
                "last-window-left-out",
                line,
                f"The last window of {size} is left out: the count is one too small",
                f"Between the first and the last window there are (n - {size}) // {step} steps of {step}, and one "
                "window more than steps. The end of the data is in no window.",
            )


def _loop(view: View, call: ast.Call) -> ast.AST | None:
    """The loop over a range, also by a name."""
    above = view.above.get(call)
    if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
        reads = view.loads(view.scope(call), above.targets[0].id)
        loops = [view.above.get(n) for n in reads]
        return next((at for at in loops if isinstance(at, ast.For | ast.comprehension)), None)
    return above


def _counted(view: View, call: ast.Call) -> tuple[str, str, int] | None:
    """(size, step, line) of `range((n - size) // step)`, also by a name; of `range(0, n - size, step)` where the last
    window would end with the data.
    """
    if len(call.args) == 3:
        end, step = call.args[1], call.args[2]
        if not isinstance(end, ast.BinOp) or not isinstance(end.op, ast.Sub) or view.number(step) in (None, 1):
            return None
        n, size, by = view.number(end.left), view.number(end.right), view.number(step)
        fits = n is not None and size is not None and by and (n - size) % by == 0
        return (ast.unparse(end.right), ast.unparse(step), call.lineno) if fits else None
    if len(call.args) != 1:
        return None
    end, line = call.args[0], call.lineno
    if isinstance(end, ast.Name):
        made = view.back.named(view.file, end)
        if len(made) != 1:
            return None
        end, line = made[0].value, made[0].line
    if isinstance(end, ast.Call) and last_name(end.func) == "int" and end.args:
        end = end.args[0]
    if not isinstance(end, ast.BinOp) or not isinstance(end.op, ast.FloorDiv | ast.Div):
        return None
    if not isinstance(end.left, ast.BinOp) or not isinstance(end.left.op, ast.Sub):
        return None
    if isinstance(end.left.left, ast.BinOp):  # the room for a target, or one added before the division
        return None
    return ast.unparse(end.left.right), ast.unparse(end.right), line


def _cuts(body: ast.AST, name: str, size: str, step: str) -> bool:
    """Whether slices begin at the number of the round, are so long, and nothing is taken from behind them."""
    starts = {f"{name}*{step}", f"{step}*{name}", name}
    for node in nodes_of(body, ast.Assign):
        if isinstance(node.targets[0], ast.Name) and _plain(node.value) in starts:
            starts.add(node.targets[0].id)
    ends = {f"{s}+{size}" for s in starts} | {f"({s})+{size}" for s in starts}
    for node in nodes_of(body, ast.Assign):
        if isinstance(node.targets[0], ast.Name) and _plain(node.value) in ends:
            ends.add(node.targets[0].id)
    cut = behind = False
    for taken in nodes_of(body, ast.Subscript):
        parts = taken.slice.elts if isinstance(taken.slice, ast.Tuple) else [taken.slice]
        for part in parts:
            if isinstance(part, ast.Slice) and part.lower is not None and part.upper is not None:
                cut = cut or (_plain(part.lower) in starts and _plain(part.upper) in ends)
                behind = behind or _plain(part.lower) in ends
            elif not isinstance(part, ast.Slice):
                behind = behind or any(_plain(part).startswith(e) for e in ends)
    return cut and not behind


def _plain(node: ast.expr) -> str:
    return ast.unparse(node).replace(" ", "")
