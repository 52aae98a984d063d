"""A column of predictions, (n, 1), that is combined with n numbers, (n,): NumPy makes a table of all with all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import keyword, last_name, nodes_of, walk
from xladoctor.sources.predictions import PREDICTS
from xladoctor.sources.slips.slip import Slip

_MEETS = (ast.Sub, ast.Add, ast.Mult, ast.Div, ast.Pow)
_KEEPS = frozenset(
    {"abs", "absolute", "array", "asarray", "astype", "clip", "copy", "exp", "expm1", "log", "maximum", "negative",
     "sqrt", "square"}
)  # fmt: skip
"""Calls that leave the axes as they are."""
_DEPTH = 6


def faults(view: View) -> Iterator[Slip]:
    """All of a file."""
    for node in walk(view.tree):
        if isinstance(node, ast.BinOp) and isinstance(node.op, _MEETS):
            sides = [(node.left, node.right), (node.right, node.left)]
        elif isinstance(node, ast.Compare) and len(node.ops) == 1:
            sides = [(node.left, node.comparators[0]), (node.comparators[0], node.left)]
        else:
            continue
        for column, flat in sides:
            sizes = view.shape(flat) if not isinstance(flat, ast.Constant) else None
            if sizes is None or len(sizes) != 1 or sizes[0] < 2 or not _is_column(view, column, _DEPTH):
                continue
            n, said = sizes[0], ast.unparse(node)[:60]
            yield Slip(
                "column-met",
                node.lineno,
                f"`{said}` combines a column of predictions with {n} numbers",
                f"`{ast.unparse(column)[:40]}` has an axis of 1 behind the rows, and `{ast.unparse(flat)[:40]}` has "
                f"the shape ({n},): broadcasting makes a table of all rows with all rows. What is computed of it is "
                "not of the pairs that belong together.",
            )
            break


def _is_column(view: View, node: ast.expr, depth: int) -> bool:
    """Whether an expression is what a model with one output predicted, still with its axis of 1."""
    if not depth:
        return False
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in PREDICTS - {"predict_proba"}:
            return _has_one_output(view)
        given = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
        return name in _KEEPS and given is not None and _is_column(view, given, depth - 1)
    if isinstance(node, ast.Subscript):
        return _keeps_column(node.slice) and _is_predicted(view, node.value, depth - 1)
    made = (
        view.back.values(view.file, node) if isinstance(node, ast.Name)
        else view.back.attributes(node.attr) if isinstance(node, ast.Attribute) else []
    )  # fmt: skip
    return len(made) == 1 and _is_column(view.of(made[0]), made[0].value, depth - 1)


def _keeps_column(key: ast.expr) -> bool:
    """`[:, :1]`: one column, with its axis."""
    parts = key.elts if isinstance(key, ast.Tuple) else []
    ends = [p.upper for p in parts if isinstance(p, ast.Slice)]
    return len(parts) == len(ends) == 2 and ends[0] is None and isinstance(ends[1], ast.Constant) and ends[1].value == 1


def _is_predicted(view: View, node: ast.expr, depth: int) -> bool:
    if isinstance(node, ast.Name) and depth:
        made = view.back.values(view.file, node)
        return len(made) == 1 and _is_predicted(view.of(made[0]), made[0].value, depth - 1)
    return isinstance(node, ast.Call) and last_name(node.func) in PREDICTS


def _has_one_output(view: View) -> bool:
    """Whether a layer of the program has one unit, and no line takes another column of predictions than the first."""
    trees = [v.tree for v in view.every()]
    denses = [c for t in trees for c in nodes_of(t, ast.Call) if last_name(c.func) == "Dense"]
    units = [keyword(c, "units") or (c.args[0] if c.args else None) for c in denses]
    return any(isinstance(u, ast.Constant) and u.value == 1 for u in units)
