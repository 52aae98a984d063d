"""The shapes of operands that the source does not determine: the message prints both operands of what failed."""

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
    if arrival is None or arrival.statement is None or arrival.scope is None:
        return {}
    values = {id(node): value for node, value in arrival.values}
    for node in walk(arrival.statement):
        two = _two(node)
        known = [_sizes(values.get(id(side))) for side in two]
        if not two or not any(sizes is None or None in sizes for sizes in known):
            continue
        found = list(dict.fromkeys(_as_printed(known, crash)))
        if len(found) == 1 or (found and isinstance(node, ast.BinOp) and known == [None, None]):
            places = [(arrival.scope.file, side.lineno, ast.unparse(side)) for side in two]
            return dict(zip(places, found[0], strict=True))
    return {}


def _two(node: ast.AST) -> list[ast.expr]:
    """The two operands of an operator or of a call."""
    sides = [node.left, node.right] if isinstance(node, ast.BinOp) else node.args if isinstance(node, ast.Call) else []
    return sides if len(sides) == 2 else []


def _sizes(value: Value | None) -> Sizes | None:
    """The sizes of an operand as far as they are known; None where it may have any, and none of what is no array."""
    found = array(value)
    if type(value) is Value or (isinstance(found, Array) and found.dims is None):
        return None
    return found.sizes if found is not None else ()


def _as_printed(known: list[Sizes | None], crash: Crash) -> Iterator[tuple[Sizes, Sizes]]:
    """Two shapes of the message, one beside the other, that two operands may have."""
    for one, other in zip(crash.shapes, crash.shapes[1:], strict=False):
        for two in ((one, other), (other, one)):
            if one != other and all(_may_be(sizes, shape) for sizes, shape in zip(known, two, strict=True)):
                yield two


def _may_be(sizes: Sizes | None, shape: Sizes) -> bool:
    if sizes is None:
        return True
    return (
        bool(sizes) and len(sizes) == len(shape) and all(a is None or a == b for a, b in zip(sizes, shape, strict=True))
    )
