"""One of several arrays that is left whole where the ones beside it are cut: `Batch(x[rows], y, weights[rows])`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.blame.variants import Shapes, Variant, fields, replaced


def of_cuts(file: str, holder: ast.AST, shapes: Shapes) -> Iterator[Variant]:
    """What stands beside a part of an array, cut in the same way, where both have as many rows before."""
    if not isinstance(holder, ast.Call | ast.Tuple | ast.List | ast.Dict):
        return
    slots: list[tuple[ast.AST, str, int | None, ast.expr]] = [
        *((holder, field, at, node) for field, at, node in fields(holder) if field != "keys"),
        *((k, "value", None, k.value) for k in getattr(holder, "keywords", ())),
    ]
    cuts = [node for *_, node in slots if isinstance(node, ast.Subscript) and _rows(node.value, shapes) is not None]
    for owner, field, at, node in slots:
        if not isinstance(node, ast.Name | ast.Attribute) or not cuts or _rows(node, shapes) is None:
            continue
        cut = next((c for c in cuts if _rows(c.value, shapes) == _rows(node, shapes)), None)
        if cut is not None and not isinstance(cut.slice, ast.Constant):
            new = ast.copy_location(ast.Subscript(node, cut.slice, ast.Load()), node)
            yield Variant(file, node.lineno, "order", "slice", replaced(owner, field, at, new))


def _rows(node: ast.expr, shapes: Shapes) -> int | None:
    return next(iter(shapes.get(node, ())), None)
