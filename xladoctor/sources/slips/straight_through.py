"""Straight-through steps that let nothing through: `x + stop_gradient(q - x)` has the value q and the gradient of x."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from xladoctor.sources.names import last_name, walk
from xladoctor.sources.order import scope_at
from xladoctor.sources.slips.slip import Slip, assigns

_STOPS = frozenset({"stop_gradient"})


def straight_through(tree: ast.Module) -> Iterator[Slip]:
    """A slip where the whole sum is stopped, and where the difference has the other sign."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in _STOPS and len(node.args) == 1:
            if any(_is_step(tree, *sides) == 1 for sides in _both_ways(_value(tree, node.args[0]))):
                yield Slip(
                    "all-stopped",
                    node.lineno,
                    f"`{ast.unparse(node)[:70]}` lets no gradient through",
                    "The sum of a value and a difference to it is written for a step that has the value of one and the "
                    "gradient of the other. Here both are within `stop_gradient`, and nothing before it is learnt.",
                )
        elif isinstance(node, ast.BinOp) and any(_is_reversed(tree, *sides) for sides in _both_ways(node)):
            yield Slip(
                "all-stopped",
                node.lineno,
                f"`{ast.unparse(node)[:70]}` adds the difference with the wrong sign",
                "A step that has the value of one and the gradient of the other is `x + stop_gradient(q - x)`. With "
                "`x - q` its value is 2 x - q.",
            )


def _both_ways(node: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    parts = _sum(node)
    return [parts, parts[::-1]] if parts is not None else []


def _is_reversed(tree: ast.Module, kept: ast.expr, other: ast.expr) -> bool:
    stops = isinstance(other, ast.Call) and last_name(other.func) in _STOPS and len(other.args) == 1
    return stops and isinstance(other, ast.Call) and _is_step(tree, kept, other.args[0]) == -1


def _value(tree: ast.Module, node: ast.expr) -> ast.expr:
    """What a name stands for, if its scope gives it one value."""
    if not isinstance(node, ast.Name):
        return node
    found = [v for t, v, line in assigns(scope_at(tree, node.lineno)) if last_name(t) == node.id and line < node.lineno]
    return found[0] if len(found) == 1 else node


def _sum(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    return (node.left, node.right) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) else None


def _is_step(tree: ast.Module, kept: ast.expr, rest: ast.expr) -> int:
    """1 for `q - kept`, -1 for `kept - q`, 0 for anything else."""
    rest = _value(tree, rest)
    if not (isinstance(rest, ast.BinOp) and isinstance(rest.op, ast.Sub)):
        return 0
    name = ast.dump(kept)
    return (ast.dump(rest.right) == name) - (ast.dump(rest.left) == name)
