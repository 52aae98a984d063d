"""Another operator between the same two numbers, where it gives the other size: `side ** 2` instead of `side * 2`.

Two lines often work out one size from the same setting. A formula that is wrong may be right for the usual setting
alone: 2 * 2 is 2 ** 2.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator, Mapping

from xladoctor.blame.variants import Numbers, Variant, fields, replaced
from xladoctor.sources.arithmetic import OPERATORS
from xladoctor.sources.names import last_name, names_in

_LARGEST = 1 << 20
_MOST_LEVELS = 8
_TRIED: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Mult: (ast.Pow, ast.Add, ast.FloorDiv),
    ast.Pow: (ast.Mult,),
    ast.Add: (ast.Mult, ast.Sub),
    ast.Sub: (ast.Add,),
    ast.FloorDiv: (ast.Mult, ast.Sub),
}
"""By the operator that is written: those that are mistaken for it."""


def of_operators(file: str, holder: ast.AST, numbers: Numbers, pairs: Mapping[int, int]) -> Iterator[Variant]:
    """The operations right below a node with another operator, or without one of the two numbers."""
    for field, at, node in fields(holder):
        if not isinstance(node, ast.BinOp):
            continue
        for new in _others(node, numbers, pairs) if any(n in pairs for n in numbers.get(node, ())) else ():
            yield Variant(file, node.lineno, "operator", "constant", replaced(holder, field, at, new))
        for new in _doubled(node, numbers):
            named = any(HALVES.search(name) for name in names_in(node) | {last_name(node.left), last_name(node.right)})
            yield Variant(file, node.lineno, "operator", "constant", replaced(holder, field, at, new), named)


HALVES = re.compile(r"level|depth|pool|stage|block|halv|down|scale|octave|stride|step", re.IGNORECASE)
"""How people call what halves a size each time."""


def _doubled(node: ast.BinOp, numbers: Numbers) -> Iterator[ast.expr]:
    """`2 * levels` as `2 ** levels`, of whichever size: each level halves what is left."""
    two, many = (node.left, node.right) if isinstance(node.left, ast.Constant) else (node.right, node.left)
    known = numbers.get(many, set())
    is_two = isinstance(two, ast.Constant) and two.value == 2 and not isinstance(many, ast.Constant)
    if isinstance(node.op, ast.Mult) and is_two and known and max(known) <= _MOST_LEVELS:
        yield ast.copy_location(ast.BinOp(two, ast.Pow(), many), node)


def _others(node: ast.BinOp, numbers: Numbers, pairs: Mapping[int, int]) -> Iterator[ast.expr]:
    sides = [sorted(numbers.get(side, ())) for side in (node.left, node.right)]
    seen = [(a, b) for a, b in itertools.product(*sides) if _value(node.op, a, b) in pairs]
    for kind in _TRIED.get(type(node.op), ()):
        for left, right, turned in ((node.left, node.right, False), (node.right, node.left, True)):
            if turned and kind is not ast.Pow:
                continue
            if any(_value(kind(), *((b, a) if turned else (a, b))) == _wanted(node, a, b, pairs) for a, b in seen):
                yield ast.copy_location(ast.BinOp(left, kind(), right), node)
    for i, side in enumerate((node.left, node.right)):
        if not isinstance(side, ast.Constant) and any(n[i] == _wanted(node, *n, pairs) for n in seen):
            yield side


def _wanted(node: ast.BinOp, a: int, b: int, pairs: Mapping[int, int]) -> int | None:
    value = _value(node.op, a, b)
    return pairs.get(value) if value is not None else None


def _value(op: ast.operator, a: int, b: int) -> int | None:
    """What an operation gives for small numbers."""
    if max(abs(a), abs(b)) > _LARGEST:
        return None
    if isinstance(op, ast.Pow):
        return a**b if 0 <= b <= 8 else None
    act = OPERATORS.get(type(op))
    try:
        made = act(a, b) if act is not None else None
    except ArithmeticError:
        return None
    return made if isinstance(made, int) else None
