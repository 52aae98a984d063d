"""What a description says of parts, held against the lines that make them: the order of the two numbers of a place, and
the axes of an attribute.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from xladoctor.blame.suspicion import Found
from xladoctor.sources.components import role
from xladoctor.sources.names import last_name, nodes_of, walk

_ROWS = frozenset({"r", "cy", "top", "h", "line", "lat"})
_COLUMNS = frozenset({"c", "cx", "left", "w", "lon"})
"""Beside the names by which components of places are known anywhere."""
_ORDERS = {("rows", "columns"), ("columns", "rows")}
_PAIR = re.compile(r"\((\w{1,10}), ?(\w{1,10})\)")
_SHAPE = re.compile(r"\b(?:has |of |with )?(?:the )?shape[: ]+\(([\w, ]{2,60})\)")
_KEEPS = frozenset({"append", "add", "put"})


def of_places(function: ast.FunctionDef, said: str) -> Iterator[Found]:
    """`found.append((x, y))` in a function that is described with (row, column)."""
    told = {tuple(map(side_of, pair)) for pair in _PAIR.findall(said)} & _ORDERS
    if len(told) != 1:
        return
    (order,) = told
    for node in walk(function):
        pair = _given(node)
        sides = [side_of(last_name(e)) for e in pair.elts] if pair is not None else []
        if pair is not None and sides == [*reversed(order)]:
            said = f"It gives `{ast.unparse(pair)}`; {function.name} is described with the {order[0]} first."
            yield pair.lineno, 8.6, said


def side_of(name: str) -> str:
    """Whether a name is of the rows or of the columns of a place; empty if of neither."""
    return role(name) or ("rows" if name.lower() in _ROWS else "columns" if name.lower() in _COLUMNS else "")


def _given(node: ast.AST) -> ast.Tuple | None:
    """A pair that a function returns, yields, collects or puts into a list."""
    value: ast.expr | None = None
    if isinstance(node, ast.Return | ast.Yield):
        value = node.value
    elif isinstance(node, ast.Call) and last_name(node.func) in _KEEPS and len(node.args) == 1:
        value = node.args[0]
    elif isinstance(node, ast.ListComp | ast.GeneratorExp):
        value = node.elt
    return value if isinstance(value, ast.Tuple) else None


def of_attributes(cls: ast.ClassDef) -> Iterator[Found]:
    """`self.axes = vt[:, : self.k]` in a class that is described with axes of shape (k, features)."""
    said = ast.get_docstring(cls) or ""
    for target, value in ((n.targets[0], n.value) for n in nodes_of(cls, ast.Assign) if len(n.targets) == 1):
        name = target.attr if isinstance(target, ast.Attribute) else ""
        axes = _axes_of(name, said) if name else ()
        key = value.slice if isinstance(value, ast.Subscript) else None
        for place, part in enumerate(key.elts) if isinstance(key, ast.Tuple) and len(axes) == len(key.elts) else ():
            bound = last_name(part.upper) if isinstance(part, ast.Slice) and part.upper is not None else ""
            if bound and part.lower is None and axes.count(bound) == 1 and axes.index(bound) != place:  # type: ignore[attr-defined]
                said = f"It cuts axis {place} to `{bound}`; `{name}` is described with ({', '.join(axes)})."
                yield value.lineno, 8.4, said


def _axes_of(name: str, said: str) -> tuple[str, ...]:
    """The axes that a description gives an attribute, in the sentence that begins with its name."""
    begin = re.search(rf"\b{re.escape(name)}\b", said)
    sentence = said[begin.end() :].partition(".")[0].partition("\n\n")[0] if begin is not None else ""
    shape = _SHAPE.search(sentence)
    return tuple(part.strip() for part in shape[1].split(",")) if shape is not None else ()
