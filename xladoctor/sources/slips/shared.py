"""One object where several seem to be: a list of one layer n times, a default that all calls share, a generator that is
empty after the first epoch. And layers that are made anew at each call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import argument, defaults, dotted, last_name, nodes_of, walk
from xladoctor.sources.slips.slip import FUNCTIONS, LOOPS, Slip, assigns, within_body

_MAKES = re.compile(r"^(?:build|create|make|new)(?:_|$)|_(?:layer|model|net|network)$")
_ONCE = frozenset({"enumerate", "filter", "iter", "map", "zip"})
_ADDS = frozenset({"add", "append", "extend", "insert", "setdefault", "update"})
_WEIGHTED = re.compile(
    r"^(?:Dense|EinsumDense|Embedding|(?:Separable|Depthwise)?Conv\dD(?:Transpose)?|LSTM|GRU|SimpleRNN|BatchNormalization"
    r"|LayerNormalization|GroupNormalization|MultiHeadAttention|PReLU)$"
)
_LAYERS = re.compile(r"(?:Layer|Model|Module|Cell|Wrapper)$")
_FORWARD = frozenset({"call", "__call__", "forward"})


def shared(tree: ast.Module) -> Iterator[Slip]:
    """A slip for each."""
    yield from _repeated(tree)
    yield from _defaults(tree)
    yield from _spent(tree)
    yield from _made_anew(tree)


def _repeated(tree: ast.Module) -> Iterator[Slip]:
    """`[Dense(8)] * 3`, `[[]] * n`, `dict.fromkeys(names, [])`."""
    for node in walk(tree):
        item: ast.expr | None = None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            lists = [s for s in (node.left, node.right) if isinstance(s, ast.List) and len(s.elts) == 1]
            item = lists[0].elts[0] if lists and not _is(node, 1) else None
        elif isinstance(node, ast.Call) and dotted(node.func) == "dict.fromkeys" and len(node.args) == 2:
            item = node.args[1]
        if item is not None and _is_object(item):
            yield Slip(
                "one-object",
                item.lineno,
                f"All items of `{ast.unparse(node)}` are one object",
                f"`{ast.unparse(item)}` is evaluated once, and each item is that same object: layers share their "
                "weights, and a change of one item is a change of all.",
            )


def _is(node: ast.BinOp, times: int) -> bool:
    return any(isinstance(s, ast.Constant) and s.value == times for s in (node.left, node.right))


def _is_object(node: ast.expr) -> bool:
    """Whether an expression makes something that can be changed, or has weights."""
    if isinstance(node, ast.List | ast.Dict | ast.Set):
        return not getattr(node, "elts", getattr(node, "keys", None))
    if not isinstance(node, ast.Call):
        return False
    name, full = last_name(node.func), dotted(node.func) or ""
    return bool(_WEIGHTED.search(name) or _MAKES.search(name)) or full in ("tf.Variable", "keras.Sequential")


def _defaults(tree: ast.Module) -> Iterator[Slip]:
    """`def f(x, history=[])` that adds to its default, where several calls use it."""
    calls = list(nodes_of(tree, ast.Call))
    looped = {id(n) for loop in walk(tree) if isinstance(loop, LOOPS) for n in nodes_of(loop, ast.Call)}
    for function in (n for n in walk(tree) if isinstance(n, FUNCTIONS)):
        for name, default in defaults(function).items():
            empty = isinstance(default, ast.List | ast.Dict) and _is_object(default)
            if not empty or not any(_adds(n, name) for n in walk(function)):
                continue
            using = [c for c in calls if last_name(c.func) == function.name and argument(c, function, name) is None]
            if len(using) > 1 or any(id(c) in looped for c in using):
                yield Slip(
                    "one-object",
                    default.lineno,
                    f"All calls of {function.name} share one `{name}`",
                    "Python makes a default once. What a call adds to it is still there in the next one.",
                )


def _adds(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDS:
        return isinstance(node.func.value, ast.Name) and node.func.value.id == name
    target = node.targets[0] if isinstance(node, ast.Assign) else None
    return isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id == name


def _spent(tree: ast.Module) -> Iterator[Slip]:
    """An iterator that is made before the loop over epochs, and gone through in each."""
    makers = {
        f.name
        for f in walk(tree)
        if isinstance(f, FUNCTIONS) and any(isinstance(n, ast.Yield | ast.YieldFrom) for n in within_body(f))
        and not any(isinstance(n, ast.While) for n in within_body(f))
    }  # fmt: skip
    made: dict[str, list[tuple[ast.expr, int]]] = {}
    for target, value, line in assigns(tree):
        if isinstance(target, ast.Name):
            made.setdefault(target.id, []).append((value, line))
    for outer in nodes_of(tree, ast.For):
        for inner in (n for n in nodes_of(outer, ast.For) if n is not outer):
            source = inner.iter
            if isinstance(source, ast.Call) and last_name(source.func) in ("enumerate", "tqdm") and source.args:
                source = source.args[0]
            values = made.get(source.id, ()) if isinstance(source, ast.Name) else ()
            if len(values) != 1 or outer.lineno <= values[0][1] <= (outer.end_lineno or 0):
                continue
            value, line = values[0]
            name = last_name(value.func) if isinstance(value, ast.Call) else ""
            plain = isinstance(value, ast.Call) and isinstance(value.func, ast.Name)
            if isinstance(value, ast.GeneratorExp) or (plain and (name in _ONCE or name in makers)):
                yield Slip(
                    "spent",
                    inner.lineno,
                    f"`{ast.unparse(source)}` is empty after the first round of the loop around this one",
                    f"Line {line} makes it once, and a generator can be gone through once. From the second round on "
                    "this loop has no items, and raises nothing.",
                )


def _made_anew(tree: ast.Module) -> Iterator[Slip]:
    """`Dense(8)(x)` in a `call`: a layer with new weights each time, which no optimizer has."""
    classes = [c for c in nodes_of(tree, ast.ClassDef) if any(_LAYERS.search(last_name(b)) for b in c.bases)]
    for function in (n for c in classes for n in c.body if isinstance(n, FUNCTIONS) and n.name in _FORWARD):
        for node in within_body(function):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Call):
                made = node.func
                if _WEIGHTED.search(last_name(made.func)) and not isinstance(made.func, ast.Call):
                    yield Slip(
                        "layer-per-call",
                        node.lineno,
                        f"`{ast.unparse(made.func)}` is made anew at each call of {function.name}",
                        "A new layer has new weights. They are no variables of this layer or model, so they are never "
                        "trained and never saved.",
                    )
