"""Several squares in each row, (rows, k, n, n), that are reshaped to (rows, n, n, k) where they should be transposed.

How many rows there are differs from object to object, so that only the sizes behind the rows are looked at.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of, operands, walk
from xladoctor.sources.slips.slip import Slip

_MODULES = frozenset({"np", "tf", "numpy", "tensorflow"})
_SAME = frozenset(
    {"abs", "asarray", "array", "astype", "cast", "clip", "constant", "copy", "exp", "log", "log1p", "sqrt"}
)
_DEPTH = 8
_Sizes = tuple[int | None, ...]


def faults(view: View) -> Iterator[Slip]:
    """`x.reshape(len(x), n, n, -1)` of (rows, k, n, n)."""
    for call in view.calls("reshape"):
        of, wanted = operands(call, _MODULES)
        if len(wanted) == 1 and isinstance(wanted[0], ast.Tuple | ast.List):
            wanted = list(wanted[0].elts)
        if of is None or len(wanted) != 4 or not _is_rows(wanted[0], ast.unparse(of)):
            continue
        known = _sizes(view, of, _DEPTH)
        if known is None or len(known) != 4 or not _moves_items(view, wanted, known[1:]):
            continue
        items, side = known[1], known[2]
        text = ", ".join(map(ast.unparse, wanted))
        yield Slip(
            "axes-by-reshape",
            call.lineno,
            f"A reshape of (rows, {items}, {side}, {side}) to ({text}) instead of a transpose",
            f"Each row of `{ast.unparse(of)[:40]}` has {items} squares, one after the other. A reshape keeps the "
            f"numbers in their order, so that the last axis has {items} neighbours of one square, and not one number "
            "of each.",
        )


def _is_rows(node: ast.expr, of: str) -> bool:
    """Whether a size is the number of the rows."""
    return ast.unparse(node) in (f"len({of})", f"{of}.shape[0]", f"tf.shape({of})[0]")


def _moves_items(view: View, wanted: list[ast.expr], behind: _Sizes) -> bool:
    """Whether (k, n, n) is taken for (n, n, k)."""
    items, side, other = behind
    if items is None or side is None or side != other or items in (1, side):
        return False
    first, second, last = wanted[1:]
    given = {view.number(first), view.number(second)} - {None}
    alike = ast.unparse(first) == ast.unparse(second) != "-1"
    return given <= {side} and (alike or bool(given)) and view.number(last) in (-1, items)


def _sizes(view: View, node: ast.expr, depth: int) -> _Sizes | None:
    """The sizes of an array, as far as they are known."""
    held = view.shape(node)
    if held is not None or not depth:
        return held
    if isinstance(node, ast.Name):
        return _of_name(view, node, depth)
    if isinstance(node, ast.Attribute) and last_name(node.value) == "self":
        return _of_objects(view, node)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        both = [s for s in (_sizes(view, side, depth - 1) for side in (node.left, node.right)) if s]
        return max(both, key=len, default=None)
    if isinstance(node, ast.Subscript):
        whole, places = _sizes(view, node.value, depth - 1), _sizes(view, node.slice, depth - 1)
        return (*places, *whole[1:]) if whole and places and _are_places(view, node.slice) else None
    if isinstance(node, ast.Call) and last_name(node.func) in _SAME:
        of = operands(node, _MODULES)[0]
        return _sizes(view, of, depth - 1) if of is not None else None
    return None


def _of_name(view: View, node: ast.Name, depth: int) -> _Sizes | None:
    """What a function gave a name last, in a line of its own."""
    scope = view.scope(node)
    stores = [n for n in nodes_of(scope, ast.Name) if n.id == node.id and isinstance(n.ctx, ast.Store)]
    made = [s for s in getattr(scope, "body", ()) if isinstance(s, ast.Assign) and s.targets[0] in stores]
    if len(made) != len(stores):
        return None
    before = [s for s in made if (s.end_lineno or s.lineno) < node.lineno]
    return _sizes(view, before[-1].value, depth - 1) if before else None


def _of_objects(view: View, node: ast.Attribute) -> _Sizes | None:
    """What all objects of the class around held under a name: of sizes that differ None."""
    owner = next((c.name for c in nodes_of(view.tree, ast.ClassDef) if any(n is node for n in walk(c))), "")
    shapes = {h.shape for v in view.every() for name, h in v.objects() if name == node.attr and h.of == owner}
    if len({len(s) for s in shapes}) != 1 or not owner:
        return None
    return tuple(sizes[0] if len(set(sizes)) == 1 else None for sizes in zip(*shapes, strict=True))


def _are_places(view: View, node: ast.expr) -> bool:
    """Whether an index has whole numbers, and is no mask."""
    held = {h.dtype for v in view.every() for name, h in v.objects() if name == last_name(node)} if isinstance(
        node, ast.Attribute
    ) else {view.dtype(node)}  # fmt: skip
    return bool(held) and all(dtype.startswith(("int", "uint")) for dtype in held)
