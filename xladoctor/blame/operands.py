"""The shape of an operand that the source does not determine: the message has it beside that of the other operand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from xladoctor.blame.crash import Crash, Sizes
from xladoctor.blame.recorded import Given
from xladoctor.blame.values import Array, Value, array
from xladoctor.sources.names import walk

if TYPE_CHECKING:
    from xladoctor.blame.arrivals import Arrival


def given(arrival: Arrival | None, crash: Crash) -> Given:
    """The shapes of operands of the failing statement, by their places and texts; empty where nothing is certain."""
    statement, scope = (arrival.statement, arrival.scope) if arrival is not None else (None, None)
    if arrival is None or statement is None or scope is None:
        return {}
    values = {id(node): value for node, value in arrival.values}
    for node in walk(statement):
        for open_, known in _pairs(node):
            found = values.get(id(known))
            if not _is_open(values.get(id(open_))) or found is None:
                continue
            if _is_open(found):
                shapes = dict.fromkeys(crash.shapes)
                both = isinstance(node, ast.BinOp) and node.left is open_ and len(shapes) == 2
                places = [(scope.file, side.lineno, ast.unparse(side)) for side in (open_, known)]
                return dict(zip(places, shapes, strict=True)) if both else {}
            sizes = array(found)
            shape = _other(sizes.sizes, crash) if sizes is not None and sizes.dims else None
            if shape is not None:
                return {(scope.file, open_.lineno, ast.unparse(open_)): shape}
    return {}


def _pairs(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Two operands of an operator or of a call, each once as the one whose shape may not be known."""
    if isinstance(node, ast.BinOp):
        two = [node.left, node.right]
    else:
        two = node.args[:2] if isinstance(node, ast.Call) else []
    if len(two) == 2:
        yield two[0], two[1]
        yield two[1], two[0]


def _is_open(value: Value | None) -> bool:
    return type(value) is Value or (isinstance(value, Array) and value.dims is None)


def _other(sizes: Sizes, crash: Crash) -> Sizes | None:
    """The shape that the message has beside this one; None where there is none, or more than one."""
    found = {
        shape
        for one, other in zip(crash.shapes, crash.shapes[1:], strict=False)
        for mine, shape in ((one, other), (other, one))
        if mine == sizes and shape != sizes
    }
    return next(iter(found)) if len(found) == 1 else None
