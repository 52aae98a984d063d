"""The result of one `argsort` used as ranks: it has the positions in order, and not the place of each row."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import around_in_statement, last_name, walk
from xladoctor.sources.slips.slip import Slip

_SORTS = ("argsort",)
_PICKS = frozenset({"take", "gather", "isin", "put", "enumerate", "append", "zip", "split", "array_split", "print"})
_RANDOM = ("random", "rng", "shuffle", "permutation")


def faults(view: View) -> Iterator[Slip]:
    """`argsort(x) / n`, and `ranks = argsort(x)` that index nothing."""
    for call in view.calls(*_SORTS):
        text = ast.unparse(call)
        if text.count("argsort") > 1 or any(word in text for word in _RANDOM) or _inside(view, call, _SORTS):
            continue
        if _as_number(view, call) or _named(view, call):
            yield Slip(
                "argsort-as-rank",
                call.lineno,
                f"`{text[:60]}` is used as ranks, and has the positions of sorted rows",
                "`argsort` gives the position of the smallest row first, then that of the next one. The rank of each "
                "row is where its own position stands in that, which a second `argsort` gives. The numbers are the "
                "same ones, but belong to other rows.",
            )


def _outer(view: View, node: ast.AST) -> ast.AST:
    """What a value stands in, without what leaves it as it is (`.astype`, a sign, brackets)."""
    above = view.above.get(node)
    while isinstance(above, ast.Attribute) and above.attr in ("astype", "numpy", "copy", "to_numpy"):
        node = view.above[above]
        above = view.above.get(node)
    while isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add | ast.Sub):
        if not isinstance(above.right, ast.Constant):
            break
        node, above = above, view.above.get(above)
    return node


def _inside(view: View, node: ast.AST, names: tuple[str, ...]) -> bool:
    outer = around_in_statement(node, view.above)
    return any(isinstance(above, ast.Call) and last_name(above.func) in names for above in outer)


def _as_number(view: View, node: ast.AST) -> bool:
    """Whether it is divided."""
    outer = _outer(view, node)
    above = view.above.get(outer)
    return isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and above.left is outer


def _named(view: View, call: ast.Call) -> bool:
    outer = _outer(view, call)
    above, scope = view.above.get(outer), view.scope(call)
    if isinstance(above, ast.Return):
        name = getattr(scope, "name", "")
        return "rank" in name.lower() and not any(_indexes(view, c) for c in view.calls(name))
    if not isinstance(above, ast.Assign) or len(above.targets) != 1:
        return False
    target = above.targets[0]
    if isinstance(target, ast.Subscript):
        return isinstance(target.slice, ast.Constant) and "rank" in str(target.slice.value).lower()
    if not isinstance(target, ast.Name):
        return False
    reads = view.loads(scope, target.id)
    if not reads or any(_indexes(view, n) or _inside(view, n, _SORTS) or _loops(view, n) for n in reads):
        return False
    divided = any(_as_number(view, n) for n in reads)
    return divided or ("rank" in target.id.lower() and not any(_compared(view, n) for n in reads))


def _indexes(view: View, node: ast.AST) -> bool:
    """Whether it stands in an index, or is given to what picks by it."""
    below = node
    for above in around_in_statement(node, view.above):
        if isinstance(above, ast.Subscript) and above.slice is below:
            return True
        if isinstance(above, ast.Subscript) and above.value is below:
            return True  # some of the positions: the first ones are the best rows
        if isinstance(above, ast.Call) and last_name(above.func) in _PICKS and below is not above.func:
            return True
        below = above
    return False


def _loops(view: View, node: ast.AST) -> bool:
    above = view.above.get(node)
    return isinstance(above, ast.For | ast.comprehension)


def _compared(view: View, node: ast.AST) -> bool:
    return any(isinstance(n, ast.Compare) for n in walk(view.statement(node) or node))
