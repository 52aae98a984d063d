"""A reshape to the sizes of the same array in another order: it moves no axis, and cuts the elements anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import last_name, nodes_of, operands
from xladoctor.sources.slips.slip import Slip

_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "ops", "K", "keras", "jnp"})
_LEAST = 2


def own_axes(tree: ast.Module) -> Iterator[Slip]:
    """`reshape(x, (-1, x.shape[2], x.shape[1]))`."""
    for call in nodes_of(tree, ast.Call):
        of, given = operands(call, _MODULES) if last_name(call.func) == "reshape" else (None, [])
        if of is None or not given:
            continue
        parts = given[0].elts if isinstance(given[0], ast.Tuple | ast.List) else given
        axes = [axis for part in parts if (axis := _axis(part, ast.unparse(of))) is not None]
        open_ones = sum(_axis(part, ast.unparse(of)) is None for part in parts)
        if len(axes) >= _LEAST and open_ones < 2 and len(set(axes)) == len(axes) and axes != sorted(axes):
            text = ast.unparse(of)[:40]
            yield Slip(
                "axes-by-reshape",
                call.lineno,
                f"A reshape gives `{text}` its own sizes in another order",
                f"The new shape has the axes {', '.join(map(str, axes))} of `{text}` in this order. A reshape reads "
                "the elements on as they stand: only a transposition moves an axis.",
            )


def _axis(node: ast.expr, of: str) -> int | None:
    """Which axis of an array a size is: `x.shape[1]`, `tf.shape(x)[1]`."""
    key = node.slice if isinstance(node, ast.Subscript) else None
    if not isinstance(node, ast.Subscript) or not isinstance(key, ast.Constant) or type(key.value) is not int:
        return None
    held = node.value
    if isinstance(held, ast.Attribute) and held.attr == "shape":
        return key.value if ast.unparse(held.value) == of else None
    asks = isinstance(held, ast.Call) and last_name(held.func) == "shape" and len(held.args) == 1
    return key.value if asks and isinstance(held, ast.Call) and ast.unparse(held.args[0]) == of else None
