"""Expressions that are what a model gave: as it came, in another layout, or cut to classes."""

from __future__ import annotations

import ast

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, mentioned, nodes_of, operands

PREDICTS = frozenset({"predict", "predict_on_batch", "predict_proba"})
LAYOUT = frozenset(
    {"asarray", "array", "astype", "copy", "flatten", "float", "float32", "list", "numpy", "ravel", "reshape",
     "squeeze", "to_numpy", "tolist"}
)  # fmt: skip
"""What changes neither the numbers of an array nor their order."""
_MODULES = frozenset({"np", "numpy", "tf", "tensorflow", "ops", "K", "keras"})
_CUTS = frozenset({"argmax", "digitize", "rint", "round", "around", "where", "greater", "greater_equal"})
_DEPTH = 6


def inner(node: ast.expr) -> ast.expr | None:
    """What a change of layout is made of: `p[:, 0]`, `p.ravel()`, `np.asarray(p)`, `p.values`."""
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.Attribute) and node.attr == "values":
        return node.value
    if isinstance(node, ast.Call) and last_name(node.func) in LAYOUT:
        return operands(node, _MODULES)[0]
    return None


def prediction(view: View, node: ast.expr, depth: int = _DEPTH) -> ast.Call | None:
    """The call of `predict` that an expression is the result of, in whatever layout."""
    if isinstance(node, ast.Call) and last_name(node.func) in PREDICTS:
        return node
    if not depth:
        return None
    if isinstance(node, ast.Name):
        made = view.back.values(view.file, node)
        return prediction(view.of(made[0]), made[0].value, depth - 1) if len(made) == 1 else None
    of = inner(node)
    return prediction(view, of, depth - 1) if of is not None else None


def cut(view: View, node: ast.expr, depth: int = 3) -> ast.expr | None:
    """The comparison, rounding or `argmax` that made classes of a prediction."""
    if isinstance(node, ast.Name) and depth:
        made = view.back.values(view.file, node)
        return cut(view.of(made[0]), made[0].value, depth - 1) if len(made) == 1 else None
    of: ast.expr | None = None
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Gt | ast.GtE):
        of = node.left
    elif isinstance(node, ast.Call) and last_name(node.func) in _CUTS:
        of = operands(node, _MODULES)[0]
        of = of.left if isinstance(of, ast.Compare) else of if last_name(node.func) != "where" else None
    if of is not None:
        return node if prediction(view, of) is not None else None
    below = inner(node)
    return cut(view, below, depth) if below is not None else None


def words_of(view: View) -> set[str]:
    """The names, attributes, keywords and texts of all files of the program."""
    trees = [v.tree for v in view.every()]
    given = {n.arg for tree in trees for n in nodes_of(tree, ast.keyword) if n.arg}
    return given.union(*map(mentioned, trees))
