"""Whole-number divisions that give 0 all the time: of a counter by the number that it never reaches."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from xladoctor.sources.names import keyword, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, Slip, assigns


def whole(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each."""
    named = [(t.id, v) for t, v, _ in assigns(tree) if isinstance(t, ast.Name)]
    once = {name for name, times in Counter(name for name, _ in named).items() if times == 1}
    known = {name: v.value for name, v in named if name in once and isinstance(v, ast.Constant)}
    for node in walk(tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            left, right = _number(node.left, known), _number(node.right, known)
            if left is not None and right is not None and 0 < left < right:
                yield _slip(node, f"{left:g} is less than {right:g}, and `//` cuts the rest off.")
        elif isinstance(node, ast.For) and isinstance(node.target, ast.Name):
            for end in _ends(node.iter):
                yield from _divisions(node.body, node.target.id, end, known, "in this loop")
        elif isinstance(node, ast.Call) and last_name(node.func) == "LearningRateScheduler":
            function = _function(tree, _first(node, "schedule"))
            for call in (n for n in nodes_of(tree, ast.Call) if last_name(n.func) == "fit"):
                epochs = keyword(call, "epochs")
                if function is not None and function.args.args and epochs is not None:
                    body = function.body if isinstance(function.body, list) else [function.body]
                    yield from _divisions(body, function.args.args[0].arg, epochs, known, "in this `fit`")


def _ends(iterable: ast.expr) -> Iterator[ast.expr]:
    """What a counter stays below."""
    if isinstance(iterable, ast.Call) and last_name(iterable.func) == "range" and len(iterable.args) in (1, 2):
        start = iterable.args[0] if len(iterable.args) == 2 else None
        if start is None or (isinstance(start, ast.Constant) and isinstance(start.value, int) and start.value >= 0):
            yield iterable.args[-1]


def _divisions(
    body: Sequence[ast.AST], counter: str, end: ast.expr, known: Mapping[str, object], where: str
) -> Iterator[Slip]:
    seen = set()
    for node in (n for s in body for n in walk(s)):
        if not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)) or node.lineno in seen:
            continue
        if isinstance(node.left, ast.Name) and node.left.id == counter and _same(node.right, end, known):
            seen.add(node.lineno)
            why = f"`{counter}` stays below `{ast.unparse(end)}` {where}, and `//` cuts the rest off."
            yield _slip(node, f"{why} What is scaled by it does not change.")


def _slip(node: ast.BinOp, why: str) -> Slip:
    return Slip("always-zero", node.lineno, f"`{ast.unparse(node)}` is 0 all the time", why)


def _same(one: ast.expr, other: ast.expr, known: Mapping[str, object]) -> bool:
    """Whether both are the same number, or the first one is greater."""
    if ast.dump(one) == ast.dump(other):
        return True
    first, second = _number(one, known), _number(other, known)
    return first is not None and second is not None and first >= second


def _number(node: ast.expr, known: Mapping[str, object]) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else known.get(node.id) if isinstance(node, ast.Name) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _first(call: ast.Call, name: str) -> ast.expr | None:
    return call.args[0] if call.args else keyword(call, name)


def _function(tree: ast.Module, node: ast.expr | None) -> ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef | None:
    if isinstance(node, ast.Lambda):
        return node
    return next(
        (n for n in walk(tree) if node is not None and isinstance(n, FUNCTIONS) and n.name == last_name(node)), None
    )
