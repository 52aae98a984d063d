"""The line that gives moves their sign or the order of their components, most likely: offsets, shifts, positions."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xladoctor.sources.backward import Backward, Made
from xladoctor.sources.names import last_name, nodes_of, walk

_FLIPS = frozenset({"flip", "fliplr", "flipud", "reverse", "roll"})
_ORDERS = frozenset({"transpose", "swapaxes", "moveaxis", "ravel", "reshape", "T", "flip", "take", "permute"})
_FLATTENS = frozenset({"ravel", "flatten", "reshape"})
_EXCHANGES = frozenset({"T", "transpose", "swapaxes", "moveaxis", "permute"})
_SORTS = frozenset({"sort", "sorted", "argsort", "flip", "roll", "unique", "permutation"})
_ROWS = frozenset({"y", "row", "rows", "ys", "iy", "dy", "yy"})
_COLUMNS = frozenset({"x", "column", "columns", "col", "cols", "xs", "ix", "dx", "xx"})
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
            called = {id(n) for c in nodes_of(node, ast.Call) for n in walk(c.func)}
            for part in walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load) and id(part) not in called:
                    found.append(part.id)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.isidentifier():
                    found.append(part.value)
    return [n for n in dict.fromkeys(found) if len(n) > 1 and n != "self"]


def turns(
    trees: Mapping[str, ast.Module], names: Sequence[str], relation: str, near: Collection[str] = ()
) -> list[Turn]:
    """The statements that may turn what is called by one of `names`, those that fit best first. `near` are the
    functions in which it is used.
    """
    stems = [n.lower().removesuffix("s") for n in names if len(n) >= _LEAST] or [n.lower() for n in names]
    makers = _makers(trees, frozenset(names))
    found = [
        turn
        for file, tree in trees.items()
        for function, statement in _statements(tree)
        for turn in (
            *_of(file, function, statement, stems, relation),
            *_returned(file, function, statement, makers.get(function, ()), relation),
            *_by_names(file, function, statement, relation, near),
        )
    ]
    found += _in_flow(trees, stems) if relation == "reordered" else ()
    return sorted(found, key=lambda t: -t.score)


def _in_flow(trees: Mapping[str, ast.Module], stems: Sequence[str]) -> Iterator[Turn]:
    """What makes the moves, through calls and objects, and lays items out in another order than they had."""
    back, seen = Backward(trees), set()
    for file, tree in trees.items():
        for statement in nodes_of(tree, ast.Assign):
            if not any(_named({last_name(t)}, stems) for target in statement.targets for t in _targets(target)):
                continue
            first = Made(file, statement.lineno, statement, statement.value)
            for made in (first, *back.steps(file, statement.value)):
                weight = max((_laid_out(n) for n in walk(made.value)), default=0)
                if weight and (made.file, made.line) not in seen:
                    seen.add((made.file, made.line))
                    yield Turn(made.file, made.line, "", weight)


def _targets(target: ast.expr) -> list[ast.expr]:
    return list(target.elts) if isinstance(target, ast.Tuple | ast.List) else [target]


def _laid_out(node: ast.AST) -> int:
    """How much an expression looks like one that takes items column by column, where they stand row by row."""
    if not isinstance(node, ast.Call):
        return 0
    name = last_name(node.func)
    by_columns = any(k.arg == "order" and ast.unparse(k.value) == "'F'" for k in node.keywords)
    inside = {n.attr for part in (node.func, *node.args) for n in nodes_of(part, ast.Attribute)}
    flattens = name in _FLATTENS
    return 7 * (flattens and (by_columns or bool(inside & _EXCHANGES)))


def _makers(trees: Mapping[str, ast.Module], names: frozenset[str]) -> dict[str, set[int | None]]:
    """{function: the places in what it returns (None: all of it)} of what is called by one of the names."""
    found: dict[str, set[int | None]] = defaultdict(set)
    for node in (n for tree in trees.values() for n in walk(tree)):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)):
            continue
        for target in node.targets:
            parts = target.elts if isinstance(target, ast.Tuple) else [target]
            for number, part in enumerate(parts):
                if last_name(part) in names:
                    found[last_name(node.value.func)].add(number if len(parts) > 1 else None)
    return found


def _returned(
    file: str, function: str, statement: _Statement, places: Collection[int | None], relation: str
) -> Iterator[Turn]:
    """What a function returns at these places, turned in its `return`."""
    if not places or not isinstance(statement, ast.Return) or statement.value is None:
        return
    value = statement.value
    several = value.elts if isinstance(value, ast.Tuple) else None
    chosen = [
        value if p is None or several is None else several[p] for p in places if not several or (p or 0) < len(several)
    ]
    for node in (n for part in chosen for n in walk(part)):
        weight = _weight(node, relation)
        if weight:
            yield Turn(file, getattr(node, "lineno", statement.lineno), function, weight + 3)


def _by_names(file: str, function: str, statement: _Statement, relation: str, near: Collection[str]) -> Iterator[Turn]:
    """What names alone show: an index whose column comes before its row, items taken in sorted order."""
    for node in walk(statement):
        line = getattr(node, "lineno", statement.lineno)
        if relation == "swapped" and function in near and _column_first(node):
            yield Turn(file, line, function, 6)
        elif relation == "reordered" and isinstance(node, ast.Subscript):
            calls = nodes_of(node.slice, ast.Call)
            if any(last_name(c.func) in _SORTS for c in calls):
                yield Turn(file, line, function, 4)


def _column_first(node: ast.AST) -> bool:
    """`picture[x, y]`, `column * width + row`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and len(node.slice.elts) > 1:
        first, second = (_axis_name(e.lower if isinstance(e, ast.Slice) else e) for e in node.slice.elts[-2:])
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and isinstance(node.left, ast.BinOp):
        first, second = _axis_name(node.left.left), _axis_name(node.right)
        if not isinstance(node.left.op, ast.Mult):
            return False
    else:
        return False
    return (first, second) == ("column", "row")


def _axis_name(node: ast.expr | None) -> str | None:
    """Whether a name is that of rows or of columns."""
    while isinstance(node, ast.Subscript):
        node = node.value
    name = last_name(node).lower().strip("_0123456789") if node is not None else ""
    return "row" if name in _ROWS else "column" if name in _COLUMNS else None


def handed_on(trees: Mapping[str, ast.Module], file: str, line: int, relation: str) -> int:
    """In the function around a line that takes moves: the line that turns them or what was made of them, or that hands
    them to a function under their new name; else the line itself.
    """
    functions = list(nodes_of(trees[file], ast.FunctionDef)) if file in trees else []
    around = [f for f in functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
    body = [n for n in walk(around[-1]) if isinstance(n, _Statement) and n.lineno >= line] if around else []
    taken = next((s for s in body if isinstance(s, ast.Assign) and s.lineno == line), None)
    targets = taken.targets if taken is not None else []
    names = {last_name(p) for t in targets for p in (t.elts if isinstance(t, ast.Tuple) else [t])}
    for node in (n for s in body for n in walk(s)):
        if _weight(node, relation) and names & {last_name(n) for n in nodes_of(node, ast.Name)}:
            return getattr(node, "lineno", line)
    if taken is not None and (any(_weight(n, relation) for n in walk(taken)) or _hands_on(taken.value)):
        return line
    for call in (n for s in body for n in nodes_of(s, ast.Call)):
        if any(isinstance(a, ast.Name) and a.id in names for a in call.args):
            return call.lineno
    return line


def _hands_on(value: ast.expr) -> bool:
    """`moved = shift(images, flat(moves))`: what is made of the moves goes into a function at once."""
    given = [*value.args, *(k.value for k in value.keywords)] if isinstance(value, ast.Call) else []
    return any(isinstance(n.operand if isinstance(n, ast.UnaryOp) else n, ast.Call) for n in given)


def _statements(tree: ast.Module) -> Iterator[tuple[str, _Statement]]:
    """(name of the function around, statement) of all functions."""
    for function in nodes_of(tree, ast.FunctionDef):
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
