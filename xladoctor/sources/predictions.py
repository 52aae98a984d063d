"""Expressions that are what a model gave: as it came, in another layout, or cut to classes."""

from __future__ import annotations

import ast

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, walk

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
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        if own is not None and last_name(own) not in _MODULES:
            return own
        return node.args[0] if node.args else None
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
        own = node.func.value if isinstance(node.func, ast.Attribute) else None
        of = own if own is not None and last_name(own) not in _MODULES else node.args[0] if node.args else None
        of = of.left if isinstance(of, ast.Compare) else of if last_name(node.func) != "where" else None
    if of is not None:
        return node if prediction(view, of) is not None else None
    below = inner(node)
    return cut(view, below, depth) if below is not None else None


def text_of(view: View) -> str:
    """The source of all files of the program, as it is read back from their trees."""
    trees = [v.tree for v in view.files.values()] or [view.tree]
    return "\n".join(ast.unparse(t) for t in trees)


def words_of(view: View) -> set[str]:
    """The names, attributes, keywords and texts of all files of the program."""
    found: set[str] = set()
    for tree in [v.tree for v in view.files.values()] or [view.tree]:
        for node in walk(tree):
            if isinstance(node, ast.Name):
                found.add(node.id)
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                found.add(node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found
