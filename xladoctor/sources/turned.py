"""The line that gives moves their sign or the order of their components, most likely: offsets, shifts, positions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xladoctor.sources.names import last_name, walk

_FLIPS = frozenset({"flip", "fliplr", "flipud", "reverse", "roll"})
_ORDERS = frozenset({"transpose", "swapaxes", "moveaxis", "ravel", "reshape", "T", "flip", "take", "permute"})
_LEAST = 3
_Statement = ast.Assign | ast.AnnAssign | ast.AugAssign | ast.Return | ast.Expr


@dataclass(frozen=True)
class Turn:
    """A statement that turns moves, and how well it fits."""

    file: str
    line: int
    function: str
    score: int


def names_at(trees: Mapping[str, ast.Module], file: str, line: int) -> list[str]:
    """The names and keys that the statement of a line reads, but for modules and functions."""
    tree = trees.get(file)
    found: list[str] = []
    for node in walk(tree) if tree is not None else ():
        if isinstance(node, _Statement) and node.lineno <= line <= (node.end_lineno or node.lineno):
            called = {id(n) for c in walk(node) if isinstance(c, ast.Call) for n in walk(c.func)}
            for part in walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and id(part) not in called:
                    found.append(part.id)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.isidentifier():
                    found.append(part.value)
    return [n for n in dict.fromkeys(found) if len(n) > 1 and n != "self"]


def turns(trees: Mapping[str, ast.Module], names: Sequence[str], relation: str) -> list[Turn]:
    """The statements that may turn what is called by one of `names`, those that fit best first."""
    stems = [n.lower().removesuffix("s") for n in names if len(n) >= _LEAST] or [n.lower() for n in names]
    found = [
        turn
        for file, tree in trees.items()
        for function, statement in _statements(tree)
        for turn in _of(file, function, statement, stems, relation)
    ]
    return sorted(found, key=lambda t: -t.score)


def handed_on(trees: Mapping[str, ast.Module], file: str, line: int, relation: str) -> int:
    """In the function around a line that takes moves: the line that turns them or what was made of them, or that hands
    them to a function under their new name; else the line itself.
    """
    functions = [f for f in walk(trees[file]) if isinstance(f, ast.FunctionDef)] if file in trees else []
    around = [f for f in functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
    body = [n for n in walk(around[-1]) if isinstance(n, _Statement) and n.lineno >= line] if around else []
    taken = next((s for s in body if isinstance(s, ast.Assign) and s.lineno == line), None)
    names = {last_name(t) for t in taken.targets} if taken is not None else set()
    for node in (n for s in body for n in walk(s)):
        if _weight(node, relation) and names & {last_name(n) for n in walk(node) if isinstance(n, ast.Name)}:
            return getattr(node, "lineno", line)
    if taken is not None and any(_weight(n, relation) for n in walk(taken)):
        return line
    for call in (n for s in body for n in walk(s) if isinstance(n, ast.Call)):
        if any(isinstance(a, ast.Name) and a.id in names for a in call.args):
            return call.lineno
    return line


def _statements(tree: ast.Module) -> Iterator[tuple[str, _Statement]]:
    """(name of the function around, statement) of all functions."""
    for function in walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from ((function.name, s) for s in walk(function) if isinstance(s, _Statement))


def _of(file: str, function: str, statement: _Statement, stems: Sequence[str], relation: str) -> Iterator[Turn]:
    """How well a statement fits: made under the name, of the name, or in a function of that name."""
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    made = {last_name(part) for t in targets if t is not None for part in (t.elts if isinstance(t, ast.Tuple) else [t])}
    for node in walk(statement):
        weight = _weight(node, relation)
        if not weight:
            continue
        read = {last_name(n) for n in walk(node) if isinstance(n, ast.Name | ast.Attribute)}
        score = 3 * _named(made, stems) or 2 * _named(read, stems) or int(_named({function}, stems))
        if score:
            yield Turn(file, getattr(node, "lineno", statement.lineno), function, weight + score)


def _named(names: set[str], stems: Sequence[str]) -> bool:
    return any(stem in name.lower() for stem in stems for name in names)


def _weight(node: ast.AST, relation: str) -> int:
    """How much an expression looks like what does it; 0 for not at all."""
    if relation == "reordered":
        return 2 * (isinstance(node, ast.Attribute) and node.attr in _ORDERS)
    swaps = 3 * _swaps(node)
    minus = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Sub)
    turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and _is_value(node.operand)
    negates = 2 * minus or int(turned)
    return {"swapped": swaps, "swapped-negated": swaps or negates}.get(relation, negates)


def _is_value(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant)


def _swaps(node: ast.AST) -> bool:
    """`x[..., ::-1]`, `x[:, [1, 0]]`, `np.flip(x, -1)`."""
    if isinstance(node, ast.Call):
        return last_name(node.func) in _FLIPS
    if not isinstance(node, ast.Subscript):
        return False
    last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    if isinstance(last, ast.Slice):
        return last.step is not None and ast.unparse(last.step) == "-1"
    return isinstance(last, ast.List | ast.Tuple) and [ast.unparse(e) for e in last.elts] == ["1", "0"]
