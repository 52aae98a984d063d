"""Sums that are not what they are taken for: gradients that are collected and never set to zero, a mean over items of
which a mask has made some zero, and gradients that half precision makes zero.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.sources.names import dotted, last_name, names_in, nodes_of, walk
from xladoctor.sources.slips.slip import COMPREHENSIONS, LOOPS, Slip, scopes, values_of_names, within_body

_MASK = re.compile(r"(?:^|_)(?:mask|masks|valid|present|real|padding|not_pad|nonpad)(?:_|$)")
_MEANS = frozenset({"reduce_mean", "mean"})
_POLICIES = frozenset({"Policy", "set_dtype_policy", "set_global_policy", "set_policy"})
_SCALES = frozenset({"get_scaled_loss", "minimize", "scale_loss"})


def collected(tree: ast.Module) -> Iterator[Slip]:
    """Lists of variables that take gradients by `assign_add`, that an optimizer applies, and that nothing sets."""
    for name, values in values_of_names(tree).items():
        if len(values) != 1 or not _are_variables(values[0][0]):
            continue
        changes = [(last_name(n.func), n.lineno) for n in _on_items(tree, name)]
        added = [line for how, line in changes if how == "assign_add"]
        if added and all(how == "assign_add" for how, _ in changes) and _is_applied(tree, name):
            yield Slip(
                "never-zeroed",
                min(added),
                f"`{name}` collects gradients, and nothing sets it to zero again",
                "The optimizer gets the sum of all gradients since the start, and not of those since its last step.",
            )


def _are_variables(value: ast.expr) -> bool:
    items = [value.elt] if isinstance(value, ast.ListComp) else value.elts if isinstance(value, ast.List) else []
    return bool(items) and all(isinstance(i, ast.Call) and last_name(i.func) == "Variable" for i in items)


def _on_items(tree: ast.Module, name: str) -> Iterator[ast.Call]:
    """The calls of `assign` and the like on items of a list: of the variable of a loop over it, or by an index."""
    for node in walk(tree):
        over = [(node.target, node.iter)] if isinstance(node, ast.For) else []
        if isinstance(node, COMPREHENSIONS):
            over = [(g.target, g.iter) for g in node.generators]
        items = {i for target, source in over for i in _item_of(target, source, name)}
        for call in walk(node) if isinstance(node, (*LOOPS, *COMPREHENSIONS)) else ():
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and "assign" in call.func.attr:
                of = call.func.value
                by_index = isinstance(of, ast.Subscript) and dotted(of.value) == name
                if by_index or (isinstance(of, ast.Name) and of.id in items):
                    yield call


def _item_of(target: ast.expr, source: ast.expr, name: str) -> Iterator[str]:
    if dotted(source) == name and isinstance(target, ast.Name):
        yield target.id
    elif isinstance(source, ast.Call) and isinstance(target, ast.Tuple):
        inner = target.elts if last_name(source.func) == "zip" else target.elts[1:]
        for item, given in zip(inner, source.args, strict=False):
            yield from _item_of(item, given, name)


def _is_applied(tree: ast.Module, name: str) -> bool:
    for call in nodes_of(tree, ast.Call):
        applies = last_name(call.func) in ("apply_gradients", "apply") and call.args
        if applies and any(dotted(n) == name for n in walk(call.args[0])):
            return True
    return False


def padded_means(tree: ast.Module) -> Iterator[Slip]:
    """`reduce_mean(x * mask, axis=1)`, where nothing divides by the mask."""
    for scope in scopes(tree):
        here = list(within_body(scope))
        means = [n for n in here if isinstance(n, ast.Call) and last_name(n.func) in _MEANS and _over_items(n)]
        for call in means:
            own = call.func.value if isinstance(call.func, ast.Attribute) and not call.args else None
            masks = _masks_of(call.args[0] if call.args else own, here)
            if masks and not any(_divides(n, masks) for n in here):
                yield Slip(
                    "padded-mean",
                    call.lineno,
                    f"The mean over axis {_axis(call)} counts the items that `{sorted(masks)[0]}` leaves out",
                    "Items that are multiplied by 0 still count: the sum is divided by the length of the axis, and not "
                    "by the number of items that are there. Short rows get small means.",
                )


def _axis(call: ast.Call) -> str:
    found = next((k.value for k in call.keywords if k.arg == "axis"), call.args[1] if len(call.args) > 1 else None)
    return "" if found is None else ast.unparse(found)


def _over_items(call: ast.Call) -> bool:
    """Over an axis of items: not over all, and not over the rows."""
    return _axis(call) in ("1", "2", "-2", "(1, 2)", "[1, 2]")


def _masks_of(value: ast.expr | None, here: list[ast.AST]) -> set[str]:
    """The masks that a value is a product with, itself or by the one assignment of its name."""
    if isinstance(value, ast.Name):
        made = [
            n.value
            for n in here
            if isinstance(n, ast.Assign) and any(isinstance(t, ast.Name) and t.id == value.id for t in n.targets)
        ]
        value = made[-1] if made else None
    if not isinstance(value, ast.BinOp) or not isinstance(value.op, ast.Mult):
        return set()
    return {n for side in (value.left, value.right) for n in _plain(side) if _MASK.search(n.lower())}


def _plain(side: ast.expr) -> set[str]:
    """The name of a factor, also where it gets an axis or another type."""
    while isinstance(side, ast.Subscript) or (isinstance(side, ast.Call) and side.args):
        side = side.value if isinstance(side, ast.Subscript) else side.args[0]
    return {last_name(side)} - {""}


def _divides(node: ast.AST, masks: set[str]) -> bool:
    """Whether something is divided by, or scaled with, what a mask counts."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        return bool({last_name(n) for n in walk(node.right)} & masks) or bool(names_in(node.right) & masks)
    if isinstance(node, ast.Call) and last_name(node.func) in ("reduce_sum", "sum", "count_nonzero", "reduce_mean"):
        return bool(node.args) and last_name(node.args[0]) in masks
    return False


def unscaled(tree: ast.Module) -> Iterator[Slip]:
    """Gradients of half precision in a step of the program's own, whose loss nothing scales."""
    nodes = list(walk(tree))
    half = any(
        isinstance(a, ast.Constant) and a.value == "mixed_float16"
        for n in nodes
        if isinstance(n, ast.Call) and last_name(n.func) in _POLICIES
        for a in n.args
    )
    scaled = {n.attr for n in nodes if isinstance(n, ast.Attribute)} & _SCALES
    if not half or scaled:
        return
    for function in (n for n in nodes if isinstance(n, ast.FunctionDef | ast.Module)):
        inside = list(within_body(function))
        calls = [n for n in inside if isinstance(n, ast.Call)]
        applied = any(last_name(c.func) in ("apply", "apply_gradients") for c in calls)
        taken = [c.lineno for c in calls if last_name(c.func) == "gradient"]
        # A program may scale by a number of its own.
        if applied and taken and not any("scale" in last_name(n).lower() for n in inside):
            yield Slip(
                "unscaled-loss",
                min(taken),
                "The gradients are computed in half precision, and nothing scales the loss",
                "float16 has no numbers below 6e-8: small gradients become 0. Outside of `fit` a loss must be scaled "
                "before its gradient is taken; and where the optimizer scales back (`LossScaleOptimizer`, or in the "
                "`train_step` of a compiled model), gradients of a loss that was not scaled are divided all the same.",
            )
