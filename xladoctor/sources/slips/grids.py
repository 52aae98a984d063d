"""Tables of all pairs that are not: two tilings of one kind, and a grid of `meshgrid` with its axes exchanged."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, operands, walk
from xladoctor.sources.sizes import rounds, size
from xladoctor.sources.slips.slip import Slip


def faults(view: View) -> Iterator[Slip]:
    """`tile(a, len(b))` beside `tile(b, len(a))`; `meshgrid(x, y)` and `reshape(len(x), len(y))`."""
    for name in ("tile", "repeat"):
        calls = [c for c in view.calls(name) if len(c.args) == 2 and not c.keywords]
        for n, one in enumerate(calls):
            for other in calls[:n]:
                if view.scope(one) is view.scope(other) and _crossed(view, one, other):
                    yield _tiled(name, other, one)
    yield from _grids(view)
    for call in view.calls("reshape"):
        yield from _looped(view, call)


def _looped(view: View, call: ast.Call) -> Iterator[Slip]:
    """A list that two loops fill, the inner one fastest, reshaped to (inner, outer)."""
    of, wanted = operands(call, ("np", "numpy", "tf", "ops"))
    if len(wanted) == 1 and isinstance(wanted[0], ast.Tuple | ast.List):
        wanted = list(wanted[0].elts)
    if of is None or len(wanted) < 2:
        return
    asked = [size(view, w) for w in wanted[:2]]
    values = [(view, of), *((view.of(m), m.value) for m, _ in zip(view.made(of), range(12), strict=False))]
    for where, value in values:
        for outer, inner in _two_loops(where, value):
            counts = [rounds(where, outer), rounds(where, inner)]
            if None not in counts and counts[0] != counts[1] and asked == counts[::-1]:
                yield Slip(
                    "grid-axes",
                    call.lineno,
                    f"`{ast.unparse(of)[:40]}` is filled by loops over ({counts[0]}, {counts[1]}), and reshaped to "
                    f"({asked[0]}, {asked[1]})",
                    f"The inner loop, over `{ast.unparse(inner)[:40]}`, is the fastest one, so the list has all of "
                    f"these for the first of `{ast.unparse(outer)[:40]}`, then those for the second. The reshape takes "
                    "them in the other order. Reshape to the order of the loops, and transpose then.",
                )
                return


def _two_loops(view: View, value: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """(what the outer loop goes over, the inner one) of a list with an item for each round of both."""
    for node in walk(value):
        if isinstance(node, ast.ListComp) and len(node.generators) == 2 and not any(g.ifs for g in node.generators):
            yield node.generators[0].iter, node.generators[1].iter
        if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        for call in view.calls("append"):
            loop = _around(view, call)
            outer = _around(view, loop) if loop is not None else None
            of = call.func.value if isinstance(call.func, ast.Attribute) else None
            same = isinstance(of, ast.Name) and of.id == node.id and view.scope(call) is view.scope(node)
            if same and loop is not None and outer is not None and _around(view, outer) is None:
                yield outer.iter, loop.iter


def _around(view: View, node: ast.AST) -> ast.For | None:
    """The loop that a statement stands in, directly."""
    statement = view.statement(node) if not isinstance(node, ast.For) else node
    above = view.above.get(statement) if statement is not None else None
    return above if isinstance(above, ast.For) else None


def _crossed(view: View, one: ast.Call, other: ast.Call) -> bool:
    """Whether each is repeated as often as the other has items."""
    (a, times), (b, again) = one.args, other.args
    if ast.unparse(a) == ast.unparse(b):
        return False
    sizes = [view.shape(x) for x in (a, b)]
    n, m = (s[0] if s and len(s) == 1 else None for s in sizes)
    if n is not None and m is not None and (math.gcd(n, m) == 1 or view.number(times) not in (m, None)):
        return False
    return _counts(view, times, b, m) and _counts(view, again, a, n)


def _counts(view: View, times: ast.expr, of: ast.expr, count: int | None) -> bool:
    text, name = ast.unparse(times), ast.unparse(of)
    if text in (f"len({name})", f"{name}.shape[0]", f"{name}.size"):
        return True
    return count is not None and count > 1 and view.number(times) == count


def _tiled(name: str, first: ast.Call, second: ast.Call) -> Slip:
    one, other = ast.unparse(first.args[0])[:40], ast.unparse(second.args[0])[:40]
    opposite = "repeat" if name == "tile" else "tile"
    return Slip(
        "tiled-alike",
        second.lineno,
        f"`{one}` and `{other}` are both made longer by `{name}`",
        f"Both are as long as all pairs of `{one}` and `{other}` are many, but both go on in the same way. So they are "
        f"not all pairs: some come several times, others never. One of both needs `{opposite}`.",
    )


def _grids(view: View) -> Iterator[Slip]:
    grids = list(view.calls("meshgrid", "product"))
    for place, grid in enumerate(grids):
        following = grids[place + 1].lineno if place + 1 < len(grids) else None
        given = {k.arg: ast.unparse(k.value) for k in grid.keywords}
        if len(grid.args) != 2:
            continue
        by_row = "ij" in given.get("indexing", "") or last_name(grid.func) == "product"
        axes = grid.args[::-1] if by_row else grid.args
        x, y = (ast.unparse(a) for a in axes)
        sizes = [view.shape(a) for a in axes]
        n, m = (s[0] if s else None for s in sizes)
        for call in view.calls("reshape"):
            wanted = _two(call)
            if wanted is None or view.scope(call) is not view.scope(grid) or call.lineno <= grid.lineno:
                continue
            if following is not None and call.lineno >= following:
                break
            texts = tuple(ast.unparse(w) for w in wanted)
            by_text = texts in ((f"len({x})", f"len({y})"), (f"{x}.size", f"{y}.size"))
            by_text = by_text or texts == (f"{x}.shape[0]", f"{y}.shape[0]")
            numbers = tuple(view.number(w) for w in wanted)
            if n != m and (by_text or (n is not None and m is not None and numbers == (n, m))):
                yield Slip(
                    "grid-axes",
                    call.lineno,
                    f"The grid of `{ast.unparse(grid)[:60]}` is reshaped with its axes exchanged",
                    f"This grid has a row for each of `{y}` and a column for each of `{x}`. The reshape "
                    f"wants rows for `{x}`, so that each row of the result is made of several rows of the grid.",
                )


def _two(call: ast.Call) -> list[ast.expr] | None:
    args = list(call.args)
    if last_name(getattr(call.func, "value", call.func)) in ("np", "tf", "numpy"):
        args = args[1:]
    if len(args) == 1 and isinstance(args[0], ast.Tuple | ast.List):
        args = list(args[0].elts)
    return args if len(args) == 2 else None
