"""Numbers of rows of the classes, the most frequent first as `value_counts` has them, taken by class number."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.held import View
from xladoctor.sources.names import last_name, nodes_of, walk
from xladoctor.sources.slips.slip import Slip

_ARRAYS = frozenset({"array", "asarray", "constant", "convert_to_tensor", "list", "to_list", "to_numpy", "tolist"})
_BY_LABEL = ("sort_index", "reindex", ".index", ".loc", ".map(", "sort=False", "keys()", ".items()", ".get(", "dict(")
_MOST = 12


def faults(view: View) -> Iterator[Slip]:
    """`weights[y]`, `tf.gather(weights, y)`, `dict(enumerate(weights))` of such an array, at the line that made it."""
    if not any(True for v in view.every() for _ in v.calls("value_counts")):
        return
    if any(h.by_frequency for v in view.every() for h in v.holdings()):
        return  # the classes are numbered by frequency: both orders are one
    for node in walk(view.tree):
        taken = _by_number(view, node)
        made = _array_of_counts(view, taken) if taken is not None else None
        if made is not None:
            yield Slip(
                "counts-by-frequency",
                made,
                "Numbers in the order of `value_counts` are taken by the number of the class",
                "`value_counts` puts the most frequent value first. As an array it has no labels any more, and line "
                f"{getattr(node, 'lineno', 0)} takes its items by the number of the class: each class gets that of "
                "another one, unless the classes are numbered by how frequent they are.",
            )


def _by_number(view: View, node: ast.AST) -> ast.expr | None:
    """What is taken by class number: with an array of numbers, or for a dict of all. What is drawn bar by bar is
    none.
    """
    if isinstance(node, ast.Call) and node.args:
        name = last_name(node.func)
        if name in ("gather", "take") and len(node.args) > 1:
            return node.args[0]
        pairs = name == "zip" and len(node.args) == 2 and last_name(getattr(node.args[0], "func", node)) == "range"
        above = view.above.get(node)
        of_dict = isinstance(above, ast.Call) and last_name(above.func) == "dict"
        if isinstance(above, ast.comprehension):
            of_dict = isinstance(view.above.get(above), ast.DictComp)
        return node.args[-1] if of_dict and (pairs or name == "enumerate") else None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Name):
        return node.value if view.shape(node.slice) else None
    return None


def _array_of_counts(view: View, taken: ast.expr) -> int | None:
    """The line that makes an array of the result of `value_counts`."""
    line, texts = (taken.lineno if _is_array(taken) else None), [ast.unparse(taken)]
    for number, made in enumerate(view.made(taken)):
        if number > _MOST or any("value_counts(" in t for t in texts):
            break
        texts.append(ast.unparse(made.value))
        if line is None and _is_array(made.value) and made.file == view.file:
            line = made.value.lineno
    plain = not any(word in text for text in texts for word in _BY_LABEL)
    return line if plain and any("value_counts(" in t for t in texts) else None


def _is_array(node: ast.AST) -> bool:
    calls = any(last_name(c.func) in _ARRAYS for c in nodes_of(node, ast.Call))
    return calls or any(a.attr == "values" for a in nodes_of(node, ast.Attribute))
