"""Loops over batches, read in the source: do they predict, or may they train?"""

from __future__ import annotations

import ast

from xladoctor.sources.names import walk

_PREDICTS = ("predict", "predict_on_batch")
TRAINS = frozenset(
    {"GradientTape", "apply", "apply_gradients", "fit", "fit_generator", "gradient", "minimize", "train_on_batch"}
)


def predicts(tree: ast.Module, line: int) -> str | None:
    """`predict` or `predict_on_batch`, if the loop that begins at a line calls it of a model for its batches and does
    nothing by which weights are learnt.
    """
    for node in walk(tree):
        if isinstance(node, ast.For | ast.comprehension) and node.iter.lineno <= line <= (node.iter.end_lineno or 0):
            called = _called(_around(tree, node) if isinstance(node, ast.comprehension) else node)
            found = [name for name in _PREDICTS if name in called]
            return found[-1] if found and not called & TRAINS else None
    return None


def _around(tree: ast.Module, inner: ast.comprehension) -> ast.AST:
    """The list, set, or generator that a `for` in it belongs to."""
    for node in walk(tree):
        if inner in getattr(node, "generators", ()):
            return node
    return inner


def _called(node: ast.AST) -> set[str]:
    calls = (n.func for n in walk(node) if isinstance(n, ast.Call))
    return {f.attr if isinstance(f, ast.Attribute) else f.id for f in calls if isinstance(f, ast.Attribute | ast.Name)}
