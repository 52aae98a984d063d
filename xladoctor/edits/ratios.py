"""Edits of numbers by what sizes are to each other: so many times as many elements, a number that divides, a square."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.edits.facts import Facts, candidate
from xladoctor.edits.names import number
from xladoctor.edits.text import Candidate, Text


def by_elements(text: Text, facts: Facts) -> Iterator[Candidate]:
    """Where a reshape asks for another number of elements: a factor that gives as many, or the next that divides."""
    if facts.elements is None:
        return
    have, wanted = facts.elements
    for node in text.all(ast.Constant):
        size = number(node)
        if size is None or size < 2 or not facts.is_near(text, node):
            continue
        exact = [size * a // b for a, b in ((have, wanted), (wanted, have)) if b and size * a % b == 0]
        root = _root(size * size * have, wanted)
        for made in dict.fromkeys([*exact, *([root] if root else [])]):
            if 0 < made != size and made < max(have, wanted):
                yield _written(text, facts, node, made, 3.0)
        for made in (size + 2, size - 2, size + 1, size - 1):
            if made > 1:
                yield _written(text, facts, node, made, 4.0)


def squares(text: Text, facts: Facts) -> Iterator[Candidate]:
    """The square of a number, where one size is the square of the other, or one more than it."""
    pairs = [(a, b) for a in facts.sizes for b in facts.sizes if 1 < a < b]
    if not any(b == a * a or b - 1 == (a - 1) ** 2 for a, b in pairs):
        return
    statements: list[ast.Assign | ast.Return] = [*text.all(ast.Assign), *text.all(ast.Return)]
    for statement in statements:
        value = statement.value
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.FloorDiv) and facts.is_near(text, value):
            made = f"({text.of(value)}) ** 2"
            yield candidate(text, facts, "constant", "take the square: there are as many in each direction", 3.0,
                            text.put(value, made))  # fmt: skip


def _root(product: int, divisor: int) -> int:
    """The number whose square a fraction is; 0 where there is none."""
    if not divisor or product % divisor:
        return 0
    root = round((product // divisor) ** 0.5)
    return root if root * root == product // divisor else 0


def _written(text: Text, facts: Facts, node: ast.Constant, made: int, cost: float) -> Candidate:
    why = f"write {made} instead of {node.value!r}"
    return candidate(text, facts, "constant", why, cost, text.put(node, str(made)))


ALL = (by_elements, squares)
