"""Small edits of axes, to be tried on shapes: another axis of a shape that is read, one axis fewer or more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.blame.variants import AXES, Numbers, Variant, fields, replaced, whole
from xladoctor.sources.names import last_name


def of_axes(file: str, holder: ast.AST, numbers: Numbers) -> Iterator[Variant]:
    """Another axis of a shape that is read, one axis fewer or more of a shape that is asked."""
    for field, at, node in fields(holder):
        if isinstance(node, ast.Subscript) and _reads_shape(node, numbers) and node in numbers:
            for axis in AXES:
                if axis not in numbers.get(node.slice, {axis}):
                    new = ast.copy_location(ast.Subscript(node.value, whole(axis, node), ast.Load()), node)
                    yield Variant(file, node.lineno, "axis", "axis", replaced(holder, field, at, new))
        if (
            field == "args"
            and at is not None
            and isinstance(holder, ast.Call)
            and at == _PLACES.get(last_name(holder.func))
        ):
            for axis in AXES if isinstance(node, ast.Constant | ast.UnaryOp) else ():
                if axis not in numbers.get(node, {axis}):
                    yield Variant(file, node.lineno, "axis", "axis", replaced(holder, field, at, whole(axis, node)))
        if (
            isinstance(holder, ast.Call | ast.keyword)
            and isinstance(node, ast.Tuple | ast.List)
            and _is_shape(node, numbers)
        ):
            for i in range(len(node.elts) if len(node.elts) > 1 else 0):
                left = [*node.elts[:i], *node.elts[i + 1 :]]
                if numbers.get(left[0]) == {-1} and len(left) == 1:
                    continue  # any array fits into one row
                fewer = ast.copy_location(ast.Tuple(left, ast.Load()), node)
                yield Variant(file, node.lineno, "rank", "input-shape", replaced(holder, field, at, fewer))
            more = ast.copy_location(ast.Tuple([*node.elts, whole(1, node)], ast.Load()), node)
            yield Variant(file, node.lineno, "rank", "expand", replaced(holder, field, at, more))


_PLACES = {"moveaxis": 1, "rollaxis": 1, "stack": 1, "concat": 1, "concatenate": 1}
"""Where a function takes an axis without its name."""


def _reads_shape(node: ast.Subscript, numbers: Numbers) -> bool:
    """Whether an axis is read from a shape, and is not the usual way to ask for the rows, `tf.shape(x)[0]`."""
    if isinstance(node.value, ast.Call):
        return last_name(node.value.func) == "shape" and numbers.get(node.slice) != {0}
    return last_name(node.value).endswith("shape")


def _is_shape(node: ast.Tuple | ast.List, numbers: Numbers) -> bool:
    """Whether a tuple is one of sizes."""
    sizes = (e in numbers or (isinstance(e, ast.Constant) and e.value is None) for e in node.elts)
    return 0 < len(node.elts) < 6 and all(sizes)
