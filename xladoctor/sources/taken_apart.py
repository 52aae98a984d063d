"""What a program takes apart in two orders: `rows, columns = window` here, `columns, rows = window` there."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from xladoctor.sources.names import last_name, statements, walk

_MOST_PARTS = 4
_PLAIN = frozenset({"shape", "size", "dsize", "args", "batch", "data", "item", "pair", "self", "T"})
"""Names that stand for other things in each function."""


@dataclass(frozen=True)
class Parting:
    """A place that gives names to the parts of a value, or puts the parts together."""

    file: str
    line: int
    of: str
    parts: tuple[str, ...]
    is_made: bool = False
    """Whether the value is put together here: its order is the right one."""


def turned_partings(trees: Mapping[str, ast.Module], least: int) -> Iterator[tuple[Parting, Parting]]:
    """Each place with another order than the value is made in, or than most places have, with one of these. `least`
    places are most.
    """
    alike: dict[tuple[str, frozenset[str]], list[Parting]] = defaultdict(list)
    for file, tree in trees.items():
        for found in _partings(file, tree):
            alike[found.of, frozenset(found.parts)].append(found)
    for places in alike.values():
        right = _right(places, least)
        yield from ((one, right) for one in places if right is not None and one.parts != right.parts)


def _right(places: list[Parting], least: int) -> Parting | None:
    """A place in the order that the value has; None where that cannot be told."""
    votes: dict[tuple[str, ...], list[Parting]] = defaultdict(list)
    for one in places:
        votes[one.parts].append(one)
    if len(votes) != 2:
        return None
    fewer, more = sorted(votes.values(), key=len)
    if len(more) >= least and len(more) >= 2 * len(fewer):
        return more[0]
    makers = [one for one in places if one.is_made]
    if len({one.parts for one in makers}) != 1:
        return None
    return makers[0] if 2 * len(votes[makers[0].parts]) >= len(places) else None


def _partings(file: str, tree: ast.Module) -> Iterator[Parting]:
    for node in walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield from _of_pair(file, node.targets[0], node.value)
        elif isinstance(node, ast.For | ast.comprehension):
            yield from _of_loop(file, node.target, node.iter)
        elif isinstance(node, ast.FunctionDef):
            values = [s.value for s in statements(node) if isinstance(s, ast.Return)]
            for value in values if len(values) == 1 else ():
                yield from _made(file, node.name, value)
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield from _made(file, node.arg, node.value)


def _of_pair(file: str, target: ast.expr, value: ast.expr) -> Iterator[Parting]:
    if isinstance(target, ast.Name | ast.Attribute):
        yield from _made(file, last_name(target), value)
    name = last_name(value) if isinstance(value, ast.Name | ast.Attribute) else ""
    parts = _parts(target)
    if parts and name and name not in _PLAIN:
        yield Parting(file, target.lineno, name, parts)


def _of_loop(file: str, target: ast.expr, value: ast.expr) -> Iterator[Parting]:
    """`for image, (y, x) in zip(images, corners)`, `for y, x in corners`."""
    name = last_name(value.func) if isinstance(value, ast.Call) else ""
    if isinstance(value, ast.Call) and name == "zip" and isinstance(target, ast.Tuple):
        for inner, given in zip(target.elts, value.args, strict=False):
            yield from _of_pair(file, inner, given) if isinstance(inner, ast.Tuple) else ()
    elif isinstance(value, ast.Call) and name == "enumerate" and isinstance(target, ast.Tuple) and value.args:
        last = target.elts[-1]
        yield from _of_pair(file, last, value.args[0]) if isinstance(last, ast.Tuple) else ()
    elif isinstance(target, ast.Tuple):
        yield from _of_pair(file, target, value)


def _made(file: str, name: str, value: ast.expr | None) -> Iterator[Parting]:
    parts = _parts(value)
    if parts and name not in _PLAIN and value is not None:
        yield Parting(file, value.lineno, name, parts, True)


def _parts(value: ast.expr | None) -> tuple[str, ...]:
    """The different names that a tuple is made of, whatever they are attributes of."""
    if not isinstance(value, ast.Tuple) or not 2 <= len(value.elts) < _MOST_PARTS:
        return ()
    names = tuple(last_name(e).strip("_") for e in value.elts if isinstance(e, ast.Name | ast.Attribute))
    return names if len(set(names)) == len(value.elts) and "" not in names else ()


def is_whole(value: ast.expr) -> bool:
    """Whether a value may have its parts in an order of its own: no list of them, and no shape of an array."""
    return isinstance(value, ast.Call | ast.Name) or (isinstance(value, ast.Attribute) and value.attr != "shape")
